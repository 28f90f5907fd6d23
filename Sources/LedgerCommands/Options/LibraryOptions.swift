import ArgumentParser
import LedgerAPI
import LedgerModel
import LedgerViews

/// How a feed or a catalog is followed.
struct FollowOptions: ParsableArguments {
    @Option(
        name: .joined("d"), parsing: .unconditional,
        help: ArgumentHelp("The directory of its downloads.", valueName: "dir"))
    var dir: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The group of its downloads; else its title, or what entries say.", valueName: "name"))
    var group: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Keep so many of its newest files, and evict its others.", valueName: "n"),
        transform: Int.within(1...1_000_000))
    var keep: Int?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Take only titles in which this regular expression is found.", valueName: "regex"))
    var filter: String?

    @Flag(help: "Enqueue what is new by itself.")
    var auto = false

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Read it again so often, such as 30m or 1d; a minute at least.", valueName: "time"),
        transform: ReadingInterval.parse)
    var every: ReadingInterval?

    func validate() throws { try Paths.requireNamed([dir], "-d") }
}

/// What of listings is shown.
struct ListingListOptions: ParsableArguments {
    @Argument(help: ArgumentHelp("Whose entries; nothing shows what is followed.", valueName: "id"))
    var id: UInt64?

    @Option(parsing: .unconditional, help: ArgumentHelp("Only what holds these words.", valueName: "text"))
    var search: String?

    @Flag(help: "Only what is not downloaded yet.")
    var available = false

    @Option(
        parsing: .unconditional, help: ArgumentHelp("At most so many rows.", valueName: "n"),
        transform: Int.within(0...Int.max))
    var limit: Int?

    func validate() throws {
        if available, id == nil { throw ValidationError("'--available' is of entries: name what they are of.") }
    }

    /// Whether each word that is searched for is in one of these texts, whatever its case.
    func finds(_ texts: [String?]) -> Bool {
        guard let search else { return true }
        let text = texts.compactMap(\.self).joined(separator: " ").lowercased()
        return search.lowercased().split(separator: " ").allSatisfy(text.contains)
    }
}

/// Which entries are enqueued.
struct TakeOptions: ParsableArguments {
    @Argument(help: ArgumentHelp("The feed or catalog.", valueName: "id"))
    var id: UInt64

    @Argument(help: ArgumentHelp("Its entries, as 'list' shows them.", valueName: "guid"))
    var guids: [String] = []

    @Flag(help: "All that is available.")
    var all = false

    func validate() throws {
        if guids.isEmpty != all { throw ValidationError("name entries, or give '--all'") }
    }
}
