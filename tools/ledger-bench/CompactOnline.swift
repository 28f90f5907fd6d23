import ArgumentParser
import LedgerAPI
import LedgerEngine
import LedgerModel
import LedgerSystem
import Synchronization

/// `ledger-bench compact`: how long a compaction keeps others waiting.
struct CompactOnline: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "compact",
        abstract: "Compact a log while one caller appends, and tell how long that one waited.",
        discussion: """
            Appends as 'appends --at-once 1' does, first for '--seconds' by itself, then until everything up to the \
            beginning of the compaction has left the log for the archive. The ledger is another one afterwards: give a \
            copy.

            EXAMPLE
              ledger-bench compact --home copy --seconds 3
            """)

    @Option(help: ArgumentHelp("The directory of the ledger.", valueName: "dir"))
    var home: String

    @Option(help: ArgumentHelp("For how long to append before.", valueName: "s"))
    var seconds = 3.0

    @Option(help: ArgumentHelp("The length of each record's payload, about.", valueName: "n"))
    var bytes = 100

    func run() async throws {
        let ledger = try await Ledger.open(LedgerHome(try Place.absolute(home)), world: .system())
        let appender = Appender(
            ledger: ledger, orders: AppendedOrder(payloadBytes: bytes, asRequest: false),
            first: Int(ledger.lastSequence.rawValue) * 2)
        let end = ContinuousClock.now + .seconds(seconds)
        let alone = try await appender.append { ContinuousClock.now < end }
        let compaction = Ongoing()
        let begin = ContinuousClock.now
        async let report = compact(ledger, compaction)
        let beside = try await appender.append(after: alone.count) { !compaction.isOver.load(ordering: .acquiring) }
        let done = try await report
        let took = ContinuousClock.now - begin
        await ledger.close()
        try FigureLine.write([
            ("events", Double(done.eventsDropped)), ("compactSeconds", took.seconds),
            ("appendsBeside", Double(beside.count)),
            ("aloneP999Milliseconds", alone.quantile(0.999) / .milliseconds(1)),
            ("aloneMaxMilliseconds", (alone.max() ?? .zero) / .milliseconds(1)),
            ("besideP999Milliseconds", beside.quantile(0.999) / .milliseconds(1)),
            ("besideMaxMilliseconds", (beside.max() ?? .zero) / .milliseconds(1)),
        ])
    }

    private func compact(_ ledger: Ledger, _ compaction: Ongoing) async throws -> CompactReport {
        defer { compaction.isOver.store(true, ordering: .releasing) }
        var request = CompactRequest()
        request.keepEvents = 0
        return try await ledger.compact(request)
    }
}

/// Tells the one who appends when there is nothing more to wait beside.
private final class Ongoing: Sendable {
    let isOver = Atomic(false)
}

/// One caller, which has one URL after the other enqueued.
private struct Appender {
    let ledger: Ledger
    let orders: AppendedOrder
    let first: Int

    /// How long each took, for as long as it is to go on.
    func append(after count: Int = 0, while goesOn: () -> Bool) async throws -> [Duration] {
        var times: [Duration] = []
        while goesOn() {
            let order = orders.order(first + count + times.count)
            let begin = ContinuousClock.now
            let submission = Submission(.enqueue(order, priority: 0, again: false), id: nil, actor: .cli)
            guard case .recorded? = try await ledger.execute([submission]).first else { throw NotAppended() }
            times.append(ContinuousClock.now - begin)
        }
        return times
    }
}
