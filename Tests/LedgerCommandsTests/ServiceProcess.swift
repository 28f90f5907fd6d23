import LedgerSystem
import LedgerTestSupport
import NIOCore
import NIOPosix
import Synchronization
import SystemPackage
import Testing

@testable import LedgerCommands

extension Shell {
    /// Starts the real program, which was built beside these tests, as a process of its own on this home. What it says
    /// of itself stands between the lines of the tests: the only place that tells why it ended when it should not have.
    func start(_ arguments: [String], environment: [String: String] = [:]) throws -> ChildProcess {
        try ChildProcess(
            CurrentProcess.executable().removingLastComponent().appending("ledger"), arguments,
            environment: processEnvironment.merging(environment) { $1 }, output: .discarded)
    }

    /// A console that says nothing.
    var silence: Console {
        Console(
            writeOutput: { _ in }, writeError: { _ in }, outputColumns: nil, errorTerminal: { nil }, isUnicode: false)
    }

    /// Waits until a command prints what is looked for.
    /// - Parameter process: what makes it so: nothing is waited for once it has ended, and the test fails.
    func wait(for words: String, in command: String..., from process: ChildProcess? = nil) async throws {
        while true {
            let status = process?.status
            let result = await run(command)
            if result.output.contains(words) { return }
            try #require(status == nil, "process \(process!.id) ended: \(status!); \(result)")
            await Task.yield()
        }
    }
}

extension OriginServer {
    /// Serves a file whose first answer stops at a gate after `count` bytes of its body; later ones are whole.
    func serve(_ path: String, _ file: OriginEntity, stoppingAt count: Int, _ gate: OriginGate) {
        script(
            path,
            [
                { request in
                    var reply = file.reply(to: request)
                    reply.steps = [
                        reply.steps[0], .bytes(Array(file.bytes[..<count])), .gate(gate),
                        .bytes(Array(file.bytes[count...])),
                    ]
                    return reply
                }, { file.reply(to: $0) },
            ])
    }

    /// A port of loopback that nobody listens on, now or soon: it is below those that the system gives to connections
    /// and to who asks for any (32,768 to 60,999 on Linux), and no other test of this process is given it. It is
    /// connected to and not listened on: a listener lives on in a child that is being started beside it, until that
    /// one's `exec`.
    static func freePort() async throws -> Int {
        while true {
            let port = 16_384 + portsGiven.wrappingAdd(1, ordering: .relaxed).newValue % 16_384
            do {
                let stranger = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                    .connect(host: "127.0.0.1", port: port).get()
                try await stranger.close()
            } catch is NIOConnectionError {
                return port
            }
        }
    }
}

/// How many ports were given; runs of the tests beside one another begin in different places.
private let portsGiven = Atomic(Int(CurrentProcess.id))
