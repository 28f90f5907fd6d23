import ArgumentParser
import LedgerAPI
import LedgerCoding
import LedgerHolder
import LedgerModel
import LedgerViews

/// `ledger diff`: what changed between two points.
struct Diff: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show what changed between two points, row by row.",
        usage: "ledger diff <a> <b> [<options>]",
        discussion: """
            A point is the number of an event, which stands for the state after it, or a time; 0 is before the first \
            event. Of two points the earlier may stand second: then it is shown what would lead back. A download that \
            was deleted has no row, as in 'ledger list'. With '--json' each row is an object of id, change (added, \
            removed, changed) and fields, each with before and after.

            EXAMPLE
              ledger diff 340 352
              ledger diff 2026-03-02 2026-03-03 --json
            """)

    @Argument(help: ArgumentHelp("The point to begin at.", valueName: "a"), transform: LogPoint.parse)
    var from: LogPoint

    @Argument(help: ArgumentHelp("The point to end at.", valueName: "b"), transform: LogPoint.parse)
    var to: LogPoint

    @OptionGroup var archive: ArchiveOptions
    @OptionGroup var global: GlobalOptions

    func run() async throws {
        let session = try await LedgerSession(global, archive)
        let old = try await session.state(at: from)
        let new = try await session.state(at: to)
        let changes = Array(RowChange.between(old.queue, new.queue))
        if global.json {
            try session.console.printLast(changes.map(\.json.description))
        } else {
            try session.console.printLast(changes.flatMap(\.lines) + [Self.sum(changes, old.sequence, new.sequence)])
        }
    }

    /// The last line for people.
    static func sum(_ changes: [RowChange], _ from: SequenceNumber, _ to: SequenceNumber) -> String {
        guard !changes.isEmpty else { return "no difference" }
        let counts = RowChange.Kind.allCases.compactMap { kind in
            let count = changes.count { $0.kind == kind }
            return count == 0 ? nil : "\(Figures.count(UInt64(count))) \(kind.rawValue)"
        }
        return "from event \(from) to event \(to): " + counts.joined(separator: ", ")
    }
}
