import LedgerAPI
import LedgerEngine
import LedgerModel
import LedgerSystem
import LedgerTestSupport
import SystemPackage
import Testing

@testable import LedgerHolder

/// Hooks: programs that are started, and web addresses that are posted to.
struct HookTests {
    /// A program that writes down what it is told, and refuses while there is a file `refuse` beside it.
    private static let program = """
        #!/bin/sh
        printf '%s %s %s ' "$1" "$2" "$LEDGER_KEY" >> "${0%/*}/told"
        cat >> "${0%/*}/told"
        test ! -e "${0%/*}/refuse"

        """

    private func write(_ text: String, _ path: FilePath, permissions: UInt16 = 0o644) throws {
        try RealFileSystem().replaceContents(of: path, with: Array(text.utf8), permissions: permissions)
    }

    private func told(_ root: FilePath) throws -> [String] {
        let bytes = try RealFileSystem().contents(of: root.appending("told")) ?? []
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    private func open(_ root: FilePath, _ hooks: [HookTarget]) async throws -> LedgerService {
        var configuration = ServiceConfiguration()
        configuration.servesSocket = false
        configuration.hooks = hooks
        return try await LedgerService.open(LedgerHome(root.appending("home")), configuration)
    }

    private func enqueue(_ urls: [ResourceURL], _ root: FilePath, in service: LedgerService) async throws {
        var generator = SystemRandomNumberGenerator()
        let requests = urls.map {
            EnqueueRequest(
                url: $0.text, directory: root.appending("files").string, command: CommandID(using: &generator))
        }
        if !requests.isEmpty { _ = try await service.enqueue(requests) }
    }

    /// Runs one life of a ledger to its idle end with hooks.
    private func live(
        _ root: FilePath, _ hooks: [HookTarget], enqueue urls: [ResourceURL] = []
    ) async throws {
        let service = try await open(root, hooks)
        try await enqueue(urls, root, in: service)
        try await service.run(untilIdle: true)
        await service.close()
    }

    private func withRoot(_ body: (FilePath, OriginServer) async throws -> Void) async throws {
        var generator = SystemRandomNumberGenerator()
        let root = FilePath("/tmp/ledger-hooks-\(String(generator.next(), radix: 16))")
        try RealFileSystem().createDirectory(root.appending("files"), permissions: 0o755)
        try write(Self.program, root.appending("tell"), permissions: 0o755)
        let origin = try await OriginServer.start()
        try await body(root, origin)
        try await origin.stop()
        try remove(root)
    }

    private func remove(_ directory: FilePath) throws {
        let disk = RealFileSystem()
        for name in try disk.list(directory) {
            let path = directory.appending(name)
            if try disk.status(of: path)?.kind == .directory { try remove(path) } else { try disk.unlink(path) }
        }
        try disk.removeDirectory(directory)
    }

    @Test(.timeLimit(.minutes(30)))
    func `a program is told of each event once, in order, and again of what it did not take`() async throws {
        try await withRoot { root, origin in
            for name in ["/a", "/b", "/c"] { origin.on(name) { OriginEntity([1, 2, 3]).reply(to: $0) } }
            let hook = HookTarget([.enqueue, .complete], .program(root.appending("tell").string))
            try await live(root, [hook])
            #expect(try told(root).isEmpty, "a new hook is told of what comes, and of nothing that was")
            try await live(root, [hook], enqueue: [try origin.url("/a")])
            let first = try told(root)
            #expect(first.count == 2 && first[0].hasPrefix("enqueue ") && first[1].hasPrefix("complete "))
            #expect(first[1].contains("\"on\":\"complete\"") && first[1].contains("\"state\":\"completed\""))
            // A file that was only touched is nothing that came to an end.
            let files = root.appending("files")
            let touched = try RealFileSystem().open(
                files.appending(try #require(try RealFileSystem().list(files).first)), .update)
            try touched.setModified(nanoseconds: 1_000_000_000)
            touched.close()
            try await live(root, [hook])
            #expect(try told(root) == first)
            try write("", root.appending("refuse"))
            try await live(root, [hook], enqueue: [try origin.url("/b")])
            let refused = try told(root).dropFirst(2)
            #expect(!refused.isEmpty && refused.allSatisfy { $0.hasPrefix("enqueue ") }, "nothing goes before it")
            try RealFileSystem().unlink(root.appending("refuse"))
            try await live(root, [], enqueue: [try origin.url("/c")])
            try await live(root, [hook])
            let keys = try told(root).map { $0.split(separator: " ")[2] }
            var unique: [Substring] = []
            for key in keys where unique.last != key { unique.append(key) }
            #expect(unique.count == 6 && Set(unique).count == 6, "each event under a key of its own: \(keys)")
        }
    }

    @Test(.timeLimit(.minutes(30)))
    func `a web address is posted to under a key, until it takes it`() async throws {
        try await withRoot { root, origin in
            origin.on("/a") { OriginEntity([1]).reply(to: $0) }
            // The origin reads no bodies: each post has a connection of its own.
            origin.script(
                "/hook", [{ _ in OriginReply(503, framing: .close) }, { _ in OriginReply(204, framing: .close) }])
            let address = try origin.url("/hook?token=s3cr3t").text.replacing("http://", with: "http://ada:pw@")
            let hook = HookTarget([.complete], .web(try ResourceURL.parse(address)))
            try await live(root, [hook])
            try await live(root, [hook], enqueue: [try origin.url("/a")])
            try await live(root, [hook])
            let posts = origin.requests.filter { $0.target.hasPrefix("/hook") }
            #expect(posts.count >= 2 && posts.allSatisfy { $0.method == "POST" })
            let keys = Set(posts.compactMap { post in post.fields.first { $0.name == "idempotency-key" }?.value })
            #expect(keys.count == 1)
            #expect(posts.allSatisfy { $0["authorization"] == "Basic YWRhOnB3" })
            #expect(!hook.details.contains("s3cr3t") && !hook.details.contains("pw"))
        }
    }

    @Test(.timeLimit(.minutes(30)), arguments: [(false, false), (false, true), (true, false), (true, true)])
    func `while a hook is told the queue is worked on, and a signal is heeded`(
        isDrained: Bool, failsFirst: Bool
    ) async throws {
        try await withRoot { root, origin in
            for name in ["/a", "/b"] { origin.on(name) { OriginEntity([1]).reply(to: $0) } }
            let (gate, later) = (OriginGate(), OriginGate())
            let taken = OriginReply(204, framing: .close)
            // One that failed is told of the rest at the end: the queue is worked on then, too.
            let refused: [OriginServer.Answer] = failsFirst ? [{ _ in OriginReply(503, framing: .close) }] : []
            origin.script(
                "/hook", refused + [{ _ in OriginReply(steps: [.gate(gate)] + taken.steps) }, { _ in taken }])
            let hook = HookTarget([.complete], .web(try ResourceURL.parse(try origin.url("/hook").text)))
            try await live(root, [hook])
            let service = try await open(root, [hook])
            try await enqueue([try origin.url("/a")], root, in: service)
            let run = Task { try await service.run(untilIdle: true) }
            await gate.reached()
            if isDrained {
                // The hook does not answer: nobody waits for it.
                await service.drain()
                try await run.value
                gate.open()
            } else {
                origin.on("/b") { OriginEntity([1]).reply(to: $0).holding(at: later, after: 0) }
                try await enqueue([try origin.url("/b")], root, in: service)
                await later.reached()
                later.open()
                gate.open()
                try await run.value
                #expect(origin.requests.count { $0.target == "/hook" } == (failsFirst ? 3 : 2))
            }
            let rows = try await service.list(ListQuery())
            #expect(rows.count { $0.state == .completed } == (isDrained ? 1 : 2))
            await service.close()
        }
    }

    @Test(.timeLimit(.minutes(30)))
    func `a program that takes too long is ended, and has not taken it`() async throws {
        try await withRoot { root, _ in
            let slow = root.appending("slow")
            try write("#!/bin/sh\nexec sleep 100000\n", slow, permissions: 0o755)
            let event = Recorded(
                sequence: SequenceNumber(7), time: Timestamp(milliseconds: 0), id: DownloadID(3), command: nil,
                actor: .cli, event: Event.paused)
            let message = HookMessage(.pause, event, of: DownloadID(3), nil, ledger: "x")
            let clock = ManualClock(Timestamp(milliseconds: 0))
            let failure = await clock.passes(every: .seconds(10)) {
                await HookProgram.tell(slow.string, message, by: clock)
            }
            #expect(failure?.message == "it took longer than 60 s")
        }
    }

    @Test(.timeLimit(.minutes(30)))
    func `a program that is not waited for any longer ends with all that it started`() async throws {
        try await withRoot { root, _ in
            let (parent, child) = (root.appending("parent"), root.appending("child"))
            let (ready, ended) = (root.appending("ready"), root.appending("ended"))
            #expect(try await ChildProcess("/usr/bin/mkfifo", [ready.string]).wait() == 0)
            try write(
                "#!/bin/sh\ntrap 'echo > \(ended); exit' TERM\necho > \(ready)\nsleep 100000 &\nwait\n", child,
                permissions: 0o755)
            try write("#!/bin/sh\n\(child) &\ntrap 'wait' TERM\nwait\n", parent, permissions: 0o755)
            let event = Recorded(
                sequence: SequenceNumber(7), time: Timestamp(milliseconds: 0), id: DownloadID(3), command: nil,
                actor: .cli, event: Event.paused)
            let message = HookMessage(.pause, event, of: DownloadID(3), nil, ledger: "x")
            // However busy the machine is: no limit passes here.
            let clock = ManualClock(Timestamp(milliseconds: 0))
            let telling = Task { await HookProgram.tell(parent.string, message, by: clock, endLimit: .seconds(1000)) }
            #expect(try await ChildProcess("/bin/cat", [ready.string], output: .discarded).wait() == 0)
            telling.cancel()
            _ = await telling.value
            #expect(try RealFileSystem().status(of: ended) != nil)
        }
    }

    @Test(.timeLimit(.minutes(30)))
    func `what a program says on standard error is read to its end, and its last words are told`() async throws {
        try await withRoot { root, _ in
            let loud = root.appending("loud")
            let event = Recorded(
                sequence: SequenceNumber(7), time: Timestamp(milliseconds: 0), id: DownloadID(3), command: nil,
                actor: .cli, event: Event.paused)
            let message = HookMessage(.pause, event, of: DownloadID(3), nil, ledger: "x")
            for (end, words) in [("exit 0", nil), ("echo >&2; echo alas >&2; exit 3", "it ended with code 3: alas")] {
                try write("#!/bin/sh\nhead -c 300000 /dev/zero >&2\n\(end)\n", loud, permissions: 0o755)
                let failure = await HookProgram.tell(loud.string, message, by: SystemClock())
                #expect(failure?.message == words)
            }
        }
    }

    @Test(.timeLimit(.minutes(30)))
    func `a program that does not listen harms nobody`() async throws {
        try await withRoot { root, _ in
            let deaf = root.appending("deaf")
            try write("#!/bin/sh\nexec <&-\nexit 0\n", deaf, permissions: 0o755)
            let event = Recorded(
                sequence: SequenceNumber(7), time: Timestamp(milliseconds: 0), id: DownloadID(3), command: nil,
                actor: .cli,
                event: Event.failed(
                    Failure(.status, String(repeating: "x", count: 200_000), isRetryable: false), retryAt: nil))
            let message = HookMessage(.fail, event, of: DownloadID(3), nil, ledger: "x")
            for _ in 0..<30 { #expect(await HookProgram.tell(deaf.string, message, by: SystemClock()) == nil) }
        }
    }
}
