import ArgumentParser
import LedgerAPI
import LedgerCoding
import LedgerModel
import LedgerViews

/// `ledger keep`.
struct Keep: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Limit what a group may hold, or show what all hold.",
        usage: "ledger keep [<group>] [--newest <n>] [--size <size>] [<options>]",
        discussion: """
            What is more is evicted, for good: all but the newest, and beyond the size what is larger by itself, then \
            the least recently used; pinned files never, nor what '--skip' found there. On a terminal it asks before \
            any goes. Each eviction is on record. Without a limit the group keeps everything again; without a group \
            it is said what each holds and may hold.

            EXAMPLE
              ledger keep
              ledger keep radio --newest 10 --size 2G --dry-run
              ledger keep radio --newest 10 --size 2G
            """)

    @Argument(help: ArgumentHelp("The group.", valueName: "group"))
    var group: String?

    @Option(
        parsing: .unconditional, help: ArgumentHelp("How many of the newest files stay.", valueName: "n"),
        transform: UInt32.within(1...UInt32.max))
    var newest: UInt32?

    @Option(
        parsing: .unconditional, help: ArgumentHelp("How much they may take, such as 2G.", valueName: "size"),
        transform: ByteSize.parse)
    var size: ByteSize?

    @Flag(help: "Only say what would go.")
    var dryRun = false

    @Flag(help: "Do not ask.")
    var yes = false

    @OptionGroup var global: GlobalOptions

    func validate() throws {
        guard let group else {
            if newest == nil, size == nil, !dryRun { return }
            throw ValidationError("Of which group? 'ledger keep' shows all.")
        }
        if group.allSatisfy(\.isWhitespace) { throw ValidationError("The group has no name.") }
    }

    func run() async throws {
        let session = try await LedgerSession(global)
        guard let group else {
            try await session.requireLedger()
            let view = HoldingView(try await session.state(at: nil))
            let width = session.console.outputColumns
            return try session.console.printLast(
                global.json ? view.json.map(\.description) : view.lines(width: width))
        }
        let limits = GroupLimits(newestMax: newest, sizeBytesMax: size?.limit)
        let gone = try await evicted(from: group, under: limits, session)
        if !dryRun {
            if !gone.isEmpty, !yes, session.context.readLine != nil {
                session.console.note(Self.sentence(gone, "would go"))
                try session.confirm("Let them go for good?", isConfirmed: false)
            }
            // To lift a limit makes no ledger: there is none to lift.
            _ = try await session.withClient(creating: limits != GroupLimits()) { client throws(Problem) in
                try await client.library(
                    .limit(group: group, newestMax: limits.newestMax, sizeBytesMax: limits.sizeBytesMax))
            }
        }
        guard global.json else {
            let words = gone.isEmpty ? "" : "; " + Self.sentence(gone, dryRun ? "would go" : "went")
            return session.console.note(sentence(group) + words)
        }
        let row: JSONValue = [
            "group": .string(group), "newestMax": JSONValue(limits.newestMax),
            "sizeMax": JSONValue(limits.sizeBytesMax), "evicted": .array(gone.map { JSONValue($0.id.rawValue) }),
            "dryRun": .bool(dryRun),
        ]
        try session.console.print([row.description])
    }

    /// What goes of a group that does not go already, by the log as it is now.
    private func evicted(
        from group: String, under limits: GroupLimits, _ session: LedgerSession
    ) async throws(Problem) -> [Download] {
        guard limits != GroupLimits(), let state = try await session.stateIfAny() else { return [] }
        var all = state.library.limits
        all[group] = limits
        let before = Set(state.evictable(state.library.keepings))
        return state.evictable(state.library.keepings, under: all).filter { !before.contains($0) }
            .compactMap { state.queue[$0] }
    }

    private static func sentence(_ gone: [Download], _ verb: String) -> String {
        let bytes = gone.reduce(UInt64(0)) { $0 &+ ($1.shownLength ?? 0) }
        return "\(Figures.counted(gone.count, "file")) (\(Figures.size(bytes))) \(verb) for good"
    }

    /// What holds from now on, for people.
    private func sentence(_ group: String) -> String {
        let files = newest.map { $0 == 1 ? "its newest file" : "its newest \($0) files" }
        let bytes = size.flatMap(\.limit).map { "at most \(Figures.size($0))" }
        let limits = [files, bytes].compactMap(\.self)
        let verb = dryRun ? "would keep" : "keeps"
        let what = limits.isEmpty ? "everything" : limits.joined(separator: ", ")
        return "'\(TextWidth.printable(group))' \(verb) \(what)"
    }
}
