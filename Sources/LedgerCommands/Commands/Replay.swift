import ArgumentParser
import LedgerAPI
import LedgerCoding
import LedgerHolder
import LedgerModel
import LedgerSystem
import LedgerViews

/// `ledger replay`: what happened.
struct Replay: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show what happened, or what was the case at any point.",
        usage: "ledger replay [<options>]",
        discussion: """
            Reads the log without holding it: beside a running 'ledger run', on a copy, on a read-only disk. Every \
            checksum and root is verified on the way; the last line says so. A number behind the end of the log is an \
            error, and so is a time still to come; a time since the last event means the end.

            EXAMPLE
              ledger replay --id 12
              ledger replay --from 2026-03-02 --type completed,failed --json
              ledger replay --state queue,digest --to 340
              ledger replay --follow
              ledger replay --id 12 --step
              ledger replay --raw --from 340 --to 340
              ledger replay --check
            """)

    /// What `--state` can print.
    enum Part: String, CaseIterable, Sendable {
        case queue, catalog, digest
    }

    @Option(
        parsing: .unconditional, help: ArgumentHelp("From this event or time on.", valueName: "seq|time"),
        transform: LogPoint.parse)
    var from: LogPoint?

    @Option(
        parsing: .unconditional, help: ArgumentHelp("Up to this event or time.", valueName: "seq|time"),
        transform: LogPoint.parse)
    var to: LogPoint?

    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp("Only events of this download; may be repeated.", valueName: "id"),
        transform: DownloadID.parse)
    var id: [DownloadID] = []

    @Option(help: ArgumentHelp("Only events of these types.", valueName: "type,..."))
    var type: [EventKinds] = []

    @Option(help: ArgumentHelp("Only events caused by this actor.", valueName: "actor"))
    var actor: EventActor?

    @Option(help: ArgumentHelp("Print the state at '--to' instead: queue, catalog, digest.", valueName: "part,..."))
    var state: [CommaList<Part>] = []

    @Flag(help: "Show one event at a time with the row it changed; Enter goes on, q ends.")
    var step = false

    @Flag(help: "Show each record as its bytes in the files of the log, carrying on past damage.")
    var raw = false

    @Flag(help: "Fold everything anew, and compare it with every root, every snapshot and whoever holds the ledger.")
    var check = false

    @Flag(help: "Go on with what happens from now on, until Ctrl-C.")
    var follow = false

    @OptionGroup var archive: ArchiveOptions
    @OptionGroup var global: GlobalOptions

    func validate() throws {
        if follow, to != nil || !state.isEmpty {
            throw ValidationError("'--follow' has no end: leave '--to' and '--state' out.")
        }
        let modes = [follow, !state.isEmpty, step, raw, check].count { $0 }
        if modes > 1 {
            throw ValidationError("Give one of '--follow', '--state', '--step', '--raw' and '--check'.")
        }
        if raw, !id.isEmpty || !type.isEmpty || actor != nil {
            throw ValidationError("'--raw' looks into no record: leave '--id', '--type' and '--actor' out.")
        }
        if check, from != nil || to != nil || !id.isEmpty || !type.isEmpty || actor != nil {
            throw ValidationError("'--check' is about the whole log: leave bounds and filters out.")
        }
        if let from, let to, from.isAfter(to) {
            throw ValidationError("'--from' comes after '--to'.")
        }
        if !state.isEmpty, from != nil || !id.isEmpty || !type.isEmpty || actor != nil {
            throw ValidationError("'--state' is the whole state at '--to': leave the filters out.")
        }
    }

    func run() async throws {
        let session = try await LedgerSession(global, archive)
        if !state.isEmpty {
            let view = StateView(try await session.state(at: to), parts: state.flatMap(\.elements))
            try session.console.print(global.json ? [view.json.description] : view.lines)
        } else if raw {
            try await RawPlayer(session: session, from: from, to: to).run()
        } else if check {
            try await Checker(session: session).run()
        } else {
            let filter = EventFilter(ids: Set(id), kinds: type.isEmpty ? nil : Set(type.flatMap(\.kinds)), actor: actor)
            let player = Player(session: session, filter: filter, from: from, to: to, follows: follow)
            if step { try await Stepper(player: player).run() } else { try await player.run() }
        }
    }
}
