import LedgerSystem
import LedgerTestSupport
import SystemPackage

@testable import LedgerCommands

extension Shell {
    /// Starts the real program, which was built beside these tests, as a process of its own on this home.
    func start(_ arguments: [String], environment: [String: String] = [:]) throws -> ChildProcess {
        try ChildProcess(
            CurrentProcess.executable().removingLastComponent().appending("ledger"), arguments,
            environment: processEnvironment.merging(environment) { $1 }, output: .discarded, errors: .discarded)
    }

    /// A console that says nothing.
    var silence: Console {
        Console(
            writeOutput: { _ in }, writeError: { _ in }, outputColumns: nil, errorTerminal: { nil }, isUnicode: false)
    }

    /// Waits until a command prints what is looked for.
    func wait(for words: String, in command: String...) async {
        while !(await run(command).output.contains(words)) { await Task.yield() }
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

    /// A port of loopback that is free now.
    static func freePort() async throws -> Int {
        let origin = try await start()
        let port = origin.port
        try await origin.stop()
        return port
    }
}
