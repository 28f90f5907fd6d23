import ArgumentParser
import LedgerAPI
import LedgerCoding
import LedgerViews

/// `ledger keep`.
struct Keep: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Limit what a group may hold.",
        usage: "ledger keep <group> [--newest <n>] [--size <size>] [<options>]",
        discussion: """
            What is more is evicted: all but the newest, and beyond the size what is larger by itself, then the least \
            recently used; pinned files never, nor what '--skip' found there. Each eviction is on record. Without a \
            limit the group keeps everything again.

            EXAMPLE
              ledger keep radio --newest 10 --size 2G
            """)

    @Argument(help: ArgumentHelp("The group.", valueName: "group"))
    var group: String

    @Option(
        parsing: .unconditional, help: ArgumentHelp("How many of the newest files stay.", valueName: "n"),
        transform: UInt32.within(1...UInt32.max))
    var newest: UInt32?

    @Option(
        parsing: .unconditional, help: ArgumentHelp("How much they may take, such as 2G.", valueName: "size"),
        transform: ByteSize.parse)
    var size: ByteSize?

    @OptionGroup var global: GlobalOptions

    func validate() throws {
        if group.allSatisfy(\.isWhitespace) { throw ValidationError("The group has no name.") }
    }

    func run() async throws {
        let session = try await LedgerSession(global)
        // To lift a limit makes no ledger: there is none to lift.
        _ = try await session.withClient(creating: newest != nil || size?.limit != nil) { client throws(Problem) in
            try await client.library(
                .limit(group: group, newestMax: newest, sizeBytesMax: size?.limit))
        }
        guard global.json else { return session.console.note(sentence) }
        let row: JSONValue = [
            "group": .string(group), "newestMax": JSONValue(newest),
            "sizeMax": JSONValue(size?.limit),
        ]
        try session.console.print([row.description])
    }

    /// What holds from now on, for people.
    private var sentence: String {
        let files = newest.map { $0 == 1 ? "its newest file" : "its newest \($0) files" }
        let bytes = size.flatMap(\.limit).map { "at most \(Figures.size($0))" }
        let limits = [files, bytes].compactMap(\.self)
        return "'\(TextWidth.printable(group))' keeps \(limits.isEmpty ? "everything" : limits.joined(separator: ", "))"
    }
}
