import ArgumentParser
import LedgerAPI
import LedgerCoding
import LedgerEngine
import LedgerHolder
import LedgerModel
import LedgerSystem
import LedgerViews
import SystemPackage

/// `ledger undo`.
struct Undo: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Undo what the last command did, or one event.",
        usage: "ledger undo [<seq> ... | --all | <filters>] [<options>]",
        discussion: """
            Deletions (but for '--purge'), cancellations, pauses, resumes, moves and changes can be undone. Without \
            a number, all that the last such command did is undone. A number is that of an event, as '--list' and \
            'ledger replay' show it; that of an enqueuing is its download's, whose last such event is undone, as it \
            is with '--all' and filters for each download. A file comes back to where it was, or beside what stands \
            there now; it can for as long as it is in the trash ('trashDaysMax' and 'trashSizeMax' in config.yaml: \
            30 days and 10 GiB). The last 100,000 events are remembered, one for each download that a command did \
            something to; a file whose deletion is not stays in the trash while there is room, and 'ledger explain' \
            says where. What was undone is recorded as 'restored' and is done again by the command that did it \
            first.

            EXAMPLE
              ledger delete 12 && ledger undo
              ledger undo --list
              ledger undo 341 --dry-run
              ledger undo --state deleted --group talks
            """)

    @Argument(
        help: ArgumentHelp(
            "An event, or a download; without any, the last thing that can be undone.", valueName: "seq"),
        transform: SequenceNumber.parse)
    var sequences: [SequenceNumber] = []

    @Flag(help: "The last thing that was done to each download, as far as it can be undone.")
    var all = false

    @OptionGroup(title: "Filters") var filters: FilterOptions

    @Flag(help: "Show what can be undone, the last thing first, and undo nothing.")
    var list = false

    @Option(
        parsing: .unconditional, help: ArgumentHelp("With '--list', at most so many.", valueName: "n"),
        transform: Int.within(0...Int.max))
    var limit: Int?

    @Flag(help: "Say what would be undone, and do nothing.")
    var dryRun = false

    @OptionGroup var global: GlobalOptions

    func validate() throws {
        if all || isChoosing {
            try SelectionOptions.requireOneWay(ids: sequences, all: all, filters.filter)
        }
        if list, !sequences.isEmpty || all || dryRun {
            throw ValidationError("'--list' takes neither the number of an event, nor '--all', nor '--dry-run'.")
        }
        if limit != nil, !list { throw ValidationError("'--limit' belongs to '--list'.") }
    }

    private var isChoosing: Bool { !filters.filter.isEmpty }

    func run() async throws {
        let session = try await LedgerSession(global)
        guard list || dryRun else { return try await undo(session) }
        let state = try await session.state(at: nil)
        let entries = try entries(of: state, session)
        let view = UndoView(
            queue: state.queue, limits: try session.settings.trash,
            lost: try await lost(entries, state.queue, session))
        if global.json {
            try session.console.printLast(entries.map { view.json($0).description })
        } else {
            try session.console.printLast(
                list ? view.table(entries, width: session.console.outputColumns) : entries.map(view.sentence))
        }
    }

    /// What is listed, or would be undone.
    private func entries(of state: LedgerState, _ session: LedgerSession) throws(Problem) -> [UndoEntry] {
        if list { return Array(chosen(state.queue.undoableNow, of: state, session).prefix(limit ?? Int.max)) }
        if all || isChoosing { return newest(of: state, session) }
        do throws(Rejection) {
            if sequences.isEmpty { return try state.queue.undoing(nil) }
            var entries: [UndoEntry] = []
            for sequence in sequences { entries += try state.queue.undoing(sequence) }
            return entries
        } catch { throw Problem(error) }
    }

    /// The last thing that was done to each download that is meant, as far as it can be undone.
    private func newest(of state: LedgerState, _ session: LedgerSession) -> [UndoEntry] {
        var seen: Set<DownloadID> = []
        return chosen(state.queue.undoableNow, of: state, session).filter { seen.insert($0.id).inserted }
    }

    private func chosen(_ entries: [UndoEntry], of state: LedgerState, _ session: LedgerSession) -> [UndoEntry] {
        guard isChoosing else { return entries }
        var query = ListQuery()
        query.filter = filters.filter
        let ids = Set(session.rows(query, of: state).map(\.id))
        return entries.filter { ids.contains($0.id) }
    }

    /// The downloads that a deletion took and whose files are not in the trash any more.
    private func lost(
        _ entries: [UndoEntry], _ queue: Queue, _ session: LedgerSession
    ) async throws(Problem) -> Set<DownloadID> {
        let (fileSystem, home) = (session.context.world.fileSystem, session.home)
        return try await session.blocking { () throws(LedgerError) in
            let trash = Trash(fileSystem, of: home)
            var lost: Set<DownloadID> = []
            for entry in entries {
                guard case .restore = entry.inverse, let download = queue[entry.id], let file = download.file?.value,
                    case .trash(let target)? = download.deletion?.value
                else { continue }
                do throws(FileError) {
                    if try !trash.holds(file, at: FilePath(target)) { lost.insert(entry.id) }
                } catch { throw .file(error) }
            }
            return lost
        }
    }

    private func undo(_ session: LedgerSession) async throws {
        let numbers: [SequenceNumber?]
        if all || isChoosing {
            numbers = newest(of: try await session.state(at: nil), session).map(\.sequence)
        } else {
            numbers = sequences.isEmpty ? [nil] : sequences
        }
        let commands = numbers.map { ($0, session.context.newCommand()) }
        let answers = try await session.withClient { client throws(Problem) in
            var answers: [ActionAnswer] = []
            for (number, command) in commands { answers += try await client.undo(number, command: command) }
            return answers
        }
        if answers.count >= Queue.undoEntriesMax {
            session.console.warn(
                "\(Figures.count(UInt64(Queue.undoEntriesMax))) events are remembered at most: what was done before "
                    + "them stays done")
        }
        try session.report(answers, nothing: "there is nothing to undo") { _ in "undone" }
    }
}
