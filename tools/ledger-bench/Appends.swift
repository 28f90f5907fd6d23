import ArgumentParser
import LedgerAPI
import LedgerEngine
import LedgerModel
import LedgerSystem

/// `ledger-bench appends`: how many commands become durable in a second.
struct Appends: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "appends",
        abstract: "Count the durable appends of a second, with so many callers at once.",
        discussion: """
            Each caller has one URL enqueued, waits until that is durable, and goes on with the next: nothing is asked \
            for in lists. What is appended is the event of it, as the program writes it: decided, recorded, applied, \
            its record's payload filled up to '--bytes' by the length of the URL. The callers are tasks on the \
            ledger's thread, or with '--elsewhere' on Swift's shared threads. With '--socket' each caller is a thread \
            with a connection to whoever holds the ledger, such as 'ledger run', and asks as 'ledger add' does.

            EXAMPLE
              ledger-bench appends --home /var/tmp/fresh --at-once 16 --seconds 3
            """)

    @Option(help: ArgumentHelp("The directory of the ledger; with '--socket' it is held.", valueName: "dir"))
    var home: String

    @Option(help: ArgumentHelp("How many callers.", valueName: "n"))
    var atOnce = 1

    @Option(help: ArgumentHelp("The length of each record's payload, about.", valueName: "n"))
    var bytes = 100

    @Option(help: ArgumentHelp("For how long.", valueName: "s"))
    var seconds = 3.0

    @Flag(help: "Have the callers run on Swift's shared threads.")
    var elsewhere = false

    @Flag(help: "Ask whoever holds the ledger, over its socket.")
    var socket = false

    func validate() throws {
        guard (1...LocalListener.connectionsMax).contains(atOnce) else {
            throw ValidationError("'--at-once' is from 1 to \(LocalListener.connectionsMax).")
        }
        guard seconds > 0, (1...65_536).contains(bytes) else {
            throw ValidationError("'--seconds' is more than 0, '--bytes' from 1 to 65536.")
        }
    }

    func run() async throws {
        let home = LedgerHome(try Place.absolute(home))
        if socket { try overSocket(home) } else { try await inProcess(home) }
    }

    private func inProcess(_ home: LedgerHome) async throws {
        let fileSystem = CountingFileSystem()
        let system = World.system()
        let world = World(
            fileSystem: fileSystem, clock: system.clock, random: system.random, blocking: system.blocking)
        let ledger = try await Ledger.open(home, world: world)
        let (orders, first) = (AppendedOrder(payloadBytes: bytes, asRequest: false), number(after: ledger.lastSequence))
        let before = fileSystem.syncs
        let (count, took) = try await together(on: elsewhere ? globalConcurrentExecutor : ledger.thread) { number in
            let submission = Submission(
                .enqueue(orders.order(first + number), priority: 0, again: false), id: nil, actor: .cli)
            guard case .recorded? = try await ledger.execute([submission]).first else { throw NotAppended() }
        }
        let syncs = fileSystem.syncs - before
        await ledger.close()
        try FigureLine.write([
            ("appendsPerSecond", Double(count) / took.seconds), ("appendsPerSync", Double(count) / Double(syncs)),
        ])
    }

    private func overSocket(_ home: LedgerHome) throws {
        let last = try Asker(home).last()
        let (orders, first) = (AppendedOrder(payloadBytes: bytes, asRequest: true), number(after: last))
        let askers = try (0..<atOnce).map { _ in try Asker(home) }
        let (atOnce, begin) = (atOnce, ContinuousClock.now)
        let end = begin + .seconds(seconds)
        let counts = ParallelWork.map(Array(0..<atOnce), threads: atOnce, isQuiet: false) { caller in
            Result {
                var generator = SystemRandomNumberGenerator()
                var count = 0
                while ContinuousClock.now < end {
                    let number = first + count * atOnce + caller
                    try askers[caller].enqueue(orders.request(number, command: CommandID(using: &generator)))
                    count += 1
                }
                return count
            }
        }
        let took = ContinuousClock.now - begin
        let count = try counts.reduce(0) { try $0 + $1.get() }
        try FigureLine.write([("appendsPerSecond", Double(count) / took.seconds)])
    }

    /// A number that no order of this ledger has: there are no more of them than events.
    private func number(after last: SequenceNumber) -> Int { Int(last.rawValue) * LocalListener.connectionsMax }

    /// Has every caller append, one after the other, until the time is over.
    private func together(
        on executor: any TaskExecutor, _ append: @escaping @Sendable (_ number: Int) async throws -> Void
    ) async throws -> (count: Int, took: Duration) {
        let (atOnce, begin) = (atOnce, ContinuousClock.now)
        let end = begin + .seconds(seconds)
        let count = try await withThrowingTaskGroup(of: Int.self) { group in
            for caller in 0..<atOnce {
                group.addTask(executorPreference: executor) {
                    var count = 0
                    while ContinuousClock.now < end {
                        try await append(count * atOnce + caller)
                        count += 1
                    }
                    return count
                }
            }
            return try await group.reduce(0, +)
        }
        return (count, ContinuousClock.now - begin)
    }
}

/// What was to be appended was there already, or refused: the count would say nothing.
struct NotAppended: Error, CustomStringConvertible {
    var description: String { "what was asked for made no event" }
}

/// One connection to whoever holds a ledger, which asks one thing after the other.
private struct Asker: Sendable {
    private let connection: LocalConnection

    init(_ home: LedgerHome) throws(FileError) { connection = try LocalConnection.connect(to: home.socket) }

    /// The last event of the ledger.
    func last() throws -> SequenceNumber {
        guard case .status(let status) = try ask(.status) else { throw NotAppended() }
        return status.last
    }

    /// Has a URL enqueued; returns once that is durable.
    func enqueue(_ request: EnqueueRequest) throws {
        guard case .enqueued(let answers) = try ask(.enqueue([request])),
            case .accepted(_, false)? = answers.first
        else { throw NotAppended() }
    }

    private func ask(_ body: ControlRequest.Body) throws -> ControlResponse {
        try connection.send(try ControlRequest(body).encoded())
        guard let answer = try connection.receive() else { throw NotAppended() }
        return try ControlResponse(decoding: answer)
    }
}
