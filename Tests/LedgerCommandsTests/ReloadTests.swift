import LedgerModel
import LedgerSystem
import LedgerTestSupport
import LedgerViews
import Synchronization
import SystemPackage
import Testing

@testable import LedgerCommands

/// SIGHUP while `run` runs, and what it tells a service manager.
struct ReloadTests {
    /// A `run` on a ledger with one download that waits at a gate.
    private struct Stage {
        let shell: Shell
        let gate = OriginGate()
        let origin: OriginServer
        let hangUps = AsyncStream.makeStream(of: Void.self)
        let interrupts = AsyncStream.makeStream(of: Void.self)
        let heard = Heard()

        init(configuration: String) async throws {
            shell = try Shell()
            origin = try await OriginServer.start()
            let file = OriginEntity(OriginEntity.pattern(300_000))
            origin.serve("/a.bin", file, stoppingAt: 200_000, gate)
            _ = await shell.run("add", "-d", "out", try origin.url("/a.bin").text)
            try configure(configuration)
        }

        func configure(_ text: String) throws { try shell.write("home/config.yaml", Array(text.utf8)) }

        func run(_ flags: String..., environment: [String: String] = [:]) async -> Shell.Result {
            await shell.run(
                ["run", "--no-api"] + flags, interrupts: interrupts.stream, hangUps: hangUps.stream,
                environment: environment, hearing: { heard.take($0) })
        }

        /// Gives it another configuration, and waits until it has said something of it.
        func reload(_ text: String, saying words: String) async throws {
            heard.forget()
            try configure(text)
            hangUps.continuation.yield()
            await heard.next(words)
        }

        /// Ends the run, and what it stood on.
        func end() async throws {
            interrupts.continuation.yield()
            gate.open()
            try await origin.stop()
        }
    }

    @Test func `what can change changes at once, and what can not is named`() async throws {
        let stage = try await Stage(configuration: "jobs: 2\nretryWait: 1s\n")
        async let running = stage.run("--per-host", "3")
        await stage.gate.reached()
        #expect(await stage.shell.run("limit", "--max-rate", "1M").code == 0)
        try stage.configure("jobs: 7\nperHost: 9\nretryWait: 2s\nuserAgent: me\nqueueMax: 50\nwindow: 00:00-23:59\n")
        stage.hangUps.continuation.yield()
        try await stage.shell.wait(for: "\"jobs\":7", in: "limit", "--json")
        let limits = await stage.shell.run("limit", "--json").output
        // The flag goes over the file, and what 'limit' set stays where the file says nothing else.
        #expect(limits.contains("\"perHost\":3,\"maxRate\":1048576") && limits.contains("50"), "\(limits)")
        try await stage.end()
        let result = await running
        #expect(result.code == 0)
        #expect(
            result.errors.contains(
                "the configuration was read anew: changed now: jobs, perHost, queueMax, window; only the next start "
                    + "heeds retryWait; for what is added from now on: userAgent\n"), "\(result.errors)")
    }

    @Test func `a broken file leaves everything as it was, and says why`() async throws {
        let stage = try await Stage(configuration: "jobs: 2\n")
        async let running = stage.run()
        await stage.gate.reached()
        for (text, why) in [
            ("jobs: many\n", "'jobs' in"), ("job: 3\n", "no setting"), ("jobs: [\n", "can not be read"),
        ] {
            try await stage.reload(text, saying: "and everything stays as it was")
            #expect(stage.heard.text.contains(why), "\(stage.heard.text)")
            // It goes on under what it had, and is steered still.
            #expect(await stage.shell.run("move", "1", "--to", "first").code == 0)
        }
        try await stage.reload("jobs: 3\n", saying: "changed now: jobs")
        #expect(await stage.shell.run("limit", "--json").output.contains("\"jobs\":3"))
        try await stage.end()
        #expect(await running.code == 0)
    }

    @Test func `a service manager hears of the start, the reload, the watchdog and the end`() async throws {
        let stage = try await Stage(configuration: "jobs: 2\n")
        let path = stage.shell.directory.appending("notify").string
        let listener = try NotifyListener(path)
        async let running = stage.run(environment: ["NOTIFY_SOCKET": path, "WATCHDOG_USEC": "20000"])
        #expect(await listener.next("READY=1").last?.hasPrefix("STATUS=") ?? false)
        await stage.gate.reached()
        #expect(await listener.next("STATUS=1 download running, ").first == "WATCHDOG=1")
        listener.forget()
        try stage.configure("jobs: 3\n")
        stage.hangUps.continuation.yield()
        let reloading = await listener.next("RELOADING=1")
        #expect(reloading.last?.hasPrefix("MONOTONIC_USEC=") ?? false, "\(reloading)")
        let ready = await listener.next("READY=1")
        #expect(ready.last == "STATUS=the configuration was read anew: changed now: jobs")
        try await stage.end()
        _ = await listener.next("STOPPING=1")
        #expect(await running.code == 0)
    }

    @Test func `the watchdog is not fed while the ledger does not answer`() async throws {
        let (shell, clock) = (try Shell(), ManualClock(.epoch))
        let answers = Mutex<[String?]>(["well", nil, nil, "well"])
        let listener = try NotifyListener(shell.directory.appending("notify").string)
        let manager = ServiceManager(
            ["NOTIFY_SOCKET": listener.address, "WATCHDOG_USEC": "10000000"], clock, shell.silence)
        await manager.ready { answers.withLock { $0.isEmpty ? "over" : $0.removeFirst() } }
        for _ in 0..<4 {
            await clock.untilSleepers(1)
            clock.advance(by: .seconds(5))
        }
        _ = await listener.next("STATUS=over")
        manager.end()
        let silent = ["STATUS=the ledger does not answer"]
        #expect(
            listener.messages == [
                ["READY=1", "STATUS=well"], silent, silent, ["WATCHDOG=1", "STATUS=well"],
                ["WATCHDOG=1", "STATUS=over"],
            ])
        // A watchdog of another process is not ours to feed.
        listener.forget()
        let other = ServiceManager(
            ["NOTIFY_SOCKET": listener.address, "WATCHDOG_USEC": "10000000", "WATCHDOG_PID": "1"], clock, shell.silence)
        await other.ready { "well" }
        await clock.untilSleepers(1)
        clock.advance(by: ServiceManager.period)
        #expect(await listener.next("STATUS=").first == "READY=1")
        while listener.messages.count < 2 { await Task.yield() }
        #expect(listener.messages.last == ["STATUS=well"])
        other.end()
    }

    @Test func `who stands by is ready, and says for whom it waits`() async throws {
        let shell = try Shell()
        #expect(await shell.run("add", "http://a/x").code == 0)
        let holder = try SilentHolder(shell.home, answers: true, agrees: true)
        let listener = try NotifyListener(shell.directory.appending("notify").string)
        let interrupts = AsyncStream.makeStream(of: Void.self)
        async let running = shell.run(
            "run", "--no-api", interrupts: interrupts.stream, environment: ["NOTIFY_SOCKET": listener.address])
        let ready = await listener.next("READY=1")
        #expect(ready == ["READY=1", "STATUS=process 7 holds the ledger; taking over when it leaves"])
        interrupts.continuation.yield()
        #expect(await running.code == 0)
        holder.leave()
    }

    @Test func `every setting is compared`() throws {
        var changed = Settings()
        (changed.directory, changed.jobs, changed.perHost, changed.retries) = ("a", 1, 1, 1)
        (changed.maxRate, changed.limitRate, changed.compactAt) = (
            ByteSize(parsing: "1"), ByteSize(parsing: "1"), ByteSize(parsing: "1")
        )
        (changed.timeout, changed.retryWait, changed.retryCap, changed.retryAfterCap) = (
            Silence(argument: "1s"), Silence(argument: "1s"), Silence(argument: "1s"), Silence(argument: "1s")
        )
        changed.window = DailyHours(argument: "1:00-2:00")
        (changed.queueMax, changed.queuePolicy, changed.redirectsMax) = (1, .evictOldest, 1)
        (changed.retryFactor, changed.trashSizeMax, changed.trashDaysMax) = (
            GrowthFactor(argument: "3"), ByteSize(parsing: "1"), 1
        )
        (changed.userAgent, changed.proxy, changed.noProxy) = ("a", "a", "a")
        (changed.cacert, changed.cert, changed.key, changed.cookies) = ("a", "a", "a", "a")
        #expect(changed.differences(from: Settings()) == Settings.names)
        #expect(changed.differences(from: changed).isEmpty)
        #expect(SettingChanges([]).words == "nothing is otherwise")
    }
}

/// What a command that runs has said so far.
private final class Heard: Sendable {
    private let words = Mutex("")

    var text: String { words.withLock { $0 } }

    func take(_ more: String) { words.withLock { $0 += more } }

    func forget() { words.withLock { $0 = "" } }

    func next(_ sought: String) async {
        while !text.contains(sought) { await Task.yield() }
    }
}
