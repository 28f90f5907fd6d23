import LedgerModel
import LedgerTestSupport
import SystemPackage
import Testing

@testable import LedgerCommands

/// Several commands at once on one home: one holds the ledger, the others join it over its socket, and when it leaves
/// one of them takes over.
struct SharingTests {
    private let file = OriginEntity(OriginEntity.pattern(300_000))

    /// An origin whose first answer for each path stops at a gate after two thirds; later answers are whole.
    private func origin(_ gate: OriginGate) async throws -> OriginServer {
        let origin = try await OriginServer.start()
        let file = file
        for path in ["/a.bin", "/b.bin"] {
            origin.script(
                path,
                [
                    { request in
                        var reply = file.reply(to: request)
                        let body = 200_000
                        reply.steps = [
                            reply.steps[0], .bytes(Array(file.bytes[..<body])), .gate(gate),
                            .bytes(Array(file.bytes[body...])),
                        ]
                        return reply
                    }, { file.reply(to: $0) },
                ])
        }
        return origin
    }

    @Test func `commands join the holder, and what they do is done there`() async throws {
        let (shell, gate) = (try Shell(), OriginGate())
        let origin = try await origin(gate)
        let (interrupts, interrupt) = AsyncStream.makeStream(of: Void.self)
        #expect(await shell.run("add", "-d", "out", try origin.url("/a.bin").text).code == 0)
        async let running = shell.run("run", "--no-api", interrupts: interrupts)
        await gate.reached()
        let list = await shell.run("list", "--json", answerPatience: .seconds(60))
        #expect(list.output.contains(#""state":"running""#), "\(list.output)")
        let add = await shell.run("add", "-d", "out", "--json", try origin.url("/b.bin").text)
        #expect(add.code == 0)
        #expect(add.output.contains(#"/b.bin","path":""#))
        #expect(await shell.run("pause", "1").output == "1 paused: a.bin\n")
        #expect(await shell.run("resume", "1").output == "1 resumed: a.bin\n")
        gate.open()
        let get = await shell.run("get", "-d", "out", try origin.url("/a.bin").text, try origin.url("/b.bin").text)
        #expect(get.code == 0, "\(get.errors)")
        #expect(try shell.contents("out/a.bin") == file.bytes)
        #expect(try shell.contents("out/b.bin") == file.bytes)
        interrupt.yield()
        #expect(await running.code == 0)
        try await origin.stop()
    }

    @Test func `a list too long for one message is enqueued, shown and steered beside the holder`() async throws {
        let shell = try Shell()
        let (interrupts, interrupt) = AsyncStream.makeStream(of: Void.self)
        async let running = shell.run("run", "--no-api", interrupts: interrupts)
        try shell.write("list.txt", Array((0..<600).map { "http://127.0.0.1:9/\($0)\n" }.joined().utf8))
        let add = await shell.run(
            "add", "-q", "-i", "list.txt", "--not-before", "1d", answerPatience: .seconds(60))
        #expect(add.code == 0 && add.output == (1...600).map { "\($0)\n" }.joined(), "\(add.errors)")
        for command in ["pause", "resume"] {
            let steered = await shell.run(command, "--all", "--json", answerPatience: .seconds(60))
            #expect(steered.code == 0 && steered.lines.count == 600, "\(steered.errors)")
        }
        #expect(await shell.run("list", "--json", answerPatience: .seconds(60)).lines.count == 600)
        let ids = (1...600).map(String.init)
        async let watching = shell.run(["watch", "--json"] + ids)
        #expect(await shell.run("cancel", "--all", "-q", answerPatience: .seconds(60)).code == 0)
        let watch = await watching
        #expect(watch.lines.filter { $0.contains(#""state":"cancelled""#) }.count == 600, "\(watch.errors)")
        let lessons = (0..<300).map { #"{"id":"\#($0)","name":"\#($0)","url":"http://127.0.0.1:9/\#($0).mp4"}"# }
        try shell.write("lessons.json", Array("[\(lessons.joined(separator: ","))]".utf8))
        #expect(await shell.run("pause", "--all", answerPatience: .seconds(60)).code == 0)
        let catalog = await shell.run("catalog", "add", "lessons.json", "--json", answerPatience: .seconds(60))
        let id = String(try #require(catalog.output.firstMatch(of: /"id":(\d+)/)).1)
        let taken = await shell.run("catalog", "take", id, "--all", "-q", answerPatience: .seconds(60))
        #expect(taken.code == 0 && taken.lines.count == 300, "\(taken.errors)")
        interrupt.yield()
        #expect(await running.code == 0)
    }

    @Test func `watch shows what filters fit, and that it does so no more`() async throws {
        let (shell, gate) = (try Shell(), OriginGate())
        let origin = try await origin(gate)
        for (path, group) in [("/a.bin", "mine"), ("/b.bin", "others")] {
            #expect(await shell.run("add", "-d", "out", "--group", group, try origin.url(path).text).code == 0)
        }
        let (interrupts, interrupt) = AsyncStream.makeStream(of: Void.self)
        async let run = shell.run("run", "--no-api", "-q", interrupts: interrupts)
        await gate.reached()
        let (stops, stop) = AsyncStream.makeStream(of: Void.self)
        let (seen, see) = AsyncStream.makeStream(of: String.self)
        async let watching = shell.run(
            "watch", "--group", "mine", "--state", "running", "--json", "-q", interrupts: stops
        ) { text in
            for line in text.split(separator: "\n") { see.yield(String(line)) }
        }
        var states: [String] = []
        for await line in seen {
            #expect(line.contains(#""group":"mine""#), "\(line)")
            states.append(line.contains(#""state":"running""#) ? "running" : "other")
            gate.open()
            if states.last == "other" { break }
        }
        stop.yield()
        #expect(await watching.code == 0)
        #expect(states.first == "running" && states.dropLast().allSatisfy { $0 == "running" })
        interrupt.yield()
        #expect(await run.code == 0)
        #expect(await shell.run("watch", "1", "--state", "running").code == 64)
        try await origin.stop()
    }

    @Test func `watch goes on with the next holder, and Ctrl-C ends it`() async throws {
        let (shell, gate) = (try Shell(), OriginGate())
        let origin = try await origin(gate)
        #expect(await shell.run("add", "-d", "out", try origin.url("/a.bin").text).code == 0)
        let (interrupts, interrupt) = AsyncStream.makeStream(of: Void.self)
        async let first = shell.run("run", "--no-api", "-q", interrupts: interrupts)
        await gate.reached()
        async let watching = shell.run("watch", "1", "--json", "-q")
        let (stops, stop) = AsyncStream.makeStream(of: Void.self)
        async let stopped = shell.run("watch", "-q", interrupts: stops)
        stop.yield()
        #expect(await stopped.code == 0)
        interrupt.yield()
        #expect(await first.code == 0)
        #expect(await shell.run("run", "--until-idle", "--no-api", "-q").code == 0)
        let watch = await watching
        #expect(watch.code == 0, "\(watch.errors)")
        #expect(watch.lines.last?.contains(#""state":"completed""#) ?? false, "\(watch.output)")
        let (late, tooLate) = AsyncStream.makeStream(of: Void.self)
        #expect(await shell.run("add", "-d", "out", try origin.url("/b.bin").text).code == 0)
        tooLate.yield()
        #expect(await shell.run("watch", "2", interrupts: late).code == 1)
        gate.open()
        try await origin.stop()
    }

    @Test(arguments: [Errno.permissionDenied, .connectionRefused, .noSuchFileOrDirectory, .notDirectory])
    func `a socket that nobody serves us on does not keep a ledger from being read`(errno: Errno) {
        #expect(RemoteClient.meansNobody(errno))
        #expect(!RemoteClient.meansNobody(.tooManyOpenFiles))
    }

    @Test func `the same URL asked for twice at once is one transfer, and each asker gets its result`() async throws {
        let (shell, gate) = (try Shell(), OriginGate())
        let origin = try await origin(gate)
        let url = try origin.url("/a.bin").text
        async let first = shell.run("get", "--json", "-d", "out", url, url)
        await gate.reached()
        async let second = shell.run("get", "--json", "-d", "out", url)
        while !(await shell.run("list", "--json")).output.contains(#""received":200000"#) {}
        gate.open()
        for asker in [await first, await second] {
            #expect(asker.code == 0, "\(asker.errors)")
            #expect(asker.lines.count == 1 && asker.output.contains(#""state":"completed""#), "\(asker.output)")
        }
        #expect(origin.requests.count == 1)
        #expect(try shell.contents("out/a.bin") == file.bytes)
        #expect(try shell.names(in: "out") == ["a.bin"])
        try await origin.stop()
    }

    @Test func `Ctrl-C drains, says how to carry on, and the same command carries on`() async throws {
        let (shell, gate) = (try Shell(), OriginGate())
        let origin = try await origin(gate)
        let url = try origin.url("/a.bin").text
        let (interrupts, interrupt) = AsyncStream.makeStream(of: Void.self)
        async let first = shell.run("get", "-d", "out", url, interrupts: interrupts)
        await gate.reached()
        while !(await shell.run("list", "--json")).output.contains(#""received":200000"#) {}
        interrupt.yield()
        let stopped = await first
        #expect(stopped.code == 1)
        // The attempt was stopped: it neither failed nor goes on, and was made all the same.
        #expect(await shell.run("list", "--json").output.contains(#""attempts":1,"#))
        #expect(
            stopped.errors.hasSuffix(
                "stopped; what was received is recorded. 'ledger run' or the same command carries on\n"),
            "\(stopped.errors)")
        let second = await shell.run("get", "-d", "out", url)
        #expect(second.code == 0, "\(second.errors)")
        #expect(try shell.contents("out/a.bin") == file.bytes)
        let resumed = try #require(origin.requests.last)
        #expect(resumed.rangeStart.map { $0 > 0 } ?? false && resumed["if-range"] == "\"v1\"")
        gate.open()
        try await origin.stop()
    }

    @Test func `Ctrl-C of whoever only watches says that the transfer goes on`() async throws {
        let (shell, gate) = (try Shell(), OriginGate())
        let origin = try await origin(gate)
        let (url, other) = (try origin.url("/a.bin").text, try origin.url("/b.bin").text)
        let bytes = file.bytes
        origin.on("/b.bin") { OriginEntity(bytes).reply(to: $0).holding(at: gate, after: 100) }
        async let first = shell.run("get", "-d", "out", url)
        await gate.reached()
        let (interrupts, interrupt) = AsyncStream.makeStream(of: Void.self)
        async let second = shell.run("get", "-d", "out", other, interrupts: interrupts)
        while (await shell.run("list", "--json")).lines.count < 2 {}
        interrupt.yield()
        let left = await second
        #expect(left.code == 1)
        #expect(
            left.errors.contains("watched no longer; the process that holds the ledger goes on"), "\(left.errors)")
        gate.open()
        #expect(await first.code == 0)
        #expect(try shell.contents("out/a.bin") == bytes)
        try await origin.stop()
    }

    @Test func `when the holder leaves, whoever joined takes over`() async throws {
        let (shell, gate) = (try Shell(), OriginGate())
        let origin = try await origin(gate)
        let url = try origin.url("/a.bin").text
        let (interrupts, interrupt) = AsyncStream.makeStream(of: Void.self)
        async let first = shell.run("get", "-d", "out", url, interrupts: interrupts)
        await gate.reached()
        async let second = shell.run("get", "-v", "-d", "out", url)
        interrupt.yield()
        #expect(await first.code == 1)
        let taken = await second
        #expect(taken.code == 0, "\(taken.errors)")
        #expect(try shell.contents("out/a.bin") == file.bytes)
        gate.open()
        try await origin.stop()
    }

    @Test func `what was paused meanwhile stays so when the holder leaves`() async throws {
        let (shell, gate) = (try Shell(), OriginGate())
        let origin = try await origin(gate)
        let url = try origin.url("/a.bin").text
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        async let holder = shell.run("run", "--no-api", interrupts: ends)
        while (await shell.run("limit")).code != 0 {}
        let (interrupts, interrupt) = AsyncStream.makeStream(of: Void.self)
        async let waiting = shell.run("get", "-d", "out", url, interrupts: interrupts)
        await gate.reached()
        #expect(await shell.run("pause", "1").code == 0)
        end.yield()
        #expect(await holder.code == 0)
        // Whoever waits for it holds the ledger now, and answers.
        while (await shell.run("limit")).code != 0 {}
        interrupt.yield()
        #expect(await waiting.code == 1)
        let list = await shell.run("list", "--json")
        #expect(list.output.contains(#""state":"paused""#), "\(list.output)")
        #expect(await !shell.run("replay", "--json").output.contains(#""type":"resumed""#))
        gate.open()
        try await origin.stop()
    }
}
