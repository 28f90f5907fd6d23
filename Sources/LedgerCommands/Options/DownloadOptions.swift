import ArgumentParser
import LedgerAPI
import LedgerModel
import LedgerViews

/// What can be asked for a download, in `get` and `add`.
struct DownloadOptions: ParsableArguments {
    @Option(
        name: .joined("o"),
        help: ArgumentHelp("The file's name, or its path; for one URL.", valueName: "file"),
        completion: .file())
    var output: String?

    @Option(
        name: .joined("d"),
        help: ArgumentHelp("Where files go; made when missing (default: the current directory).", valueName: "dir"),
        completion: .directory)
    var dir: String?

    @Option(
        name: [.customShort("i", allowingJoined: true), .customLong("input-file")],
        help: ArgumentHelp(
            "Take URLs and options from a file in aria2's grammar; '-' is standard input.", valueName: "file"),
        completion: .file())
    var inputFile: String?

    @Option(
        parsing: .singleValue,
        help: ArgumentHelp(
            "Download what a Metalink describes: a file, a URL, or '-' for standard input; may be repeated.",
            valueName: "file"), completion: .file())
    var metalink: [String] = []

    @Flag(
        inversion: .prefixedNo,
        help: "Download what a URL that ends in .meta4 or .metalink describes, instead of that document.")
    var followMetalink = true

    @Option(
        name: [.customShort("H"), .long], parsing: .singleValue,
        help: ArgumentHelp("Send this header; may be repeated.", valueName: "name: value"))
    var header: [String] = []

    @Option(help: ArgumentHelp("Credentials for basic authentication.", valueName: "name:password"))
    var user: String?

    @Option(
        parsing: .singleValue,
        help: ArgumentHelp("What the file must hash to: md5, sha-1, sha-256 or sha-512.", valueName: "algorithm=hex"))
    var checksum: [String] = []

    @Option(
        parsing: .singleValue, help: ArgumentHelp("Another URL of the same file; may be repeated.", valueName: "url"))
    var mirror: [String] = []

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The highest rate of one download, such as 500K or 2M.", valueName: "rate"),
        transform: ByteSize.parse)
    var limitRate: ByteSize?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            """
            How often an attempt that failed for a passing reason is made again. What an origin turns away while it \
            serves others of ours does not count; with 0 it does, and a body that is cut is not continued.
            """, valueName: "n"),
        transform: UInt32.within(0...UInt32.max))
    var retries: UInt32?

    @Option(
        name: .joined("s"), parsing: .unconditional,
        help: ArgumentHelp(
            "Ranges of one file at once; 1 for a single connection (default: as many as help, up to 8).", valueName: "n"
        ), transform: UInt32.within(1...TransferOptions.rangesMax))
    var split: UInt32?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "The longest silence allowed: to connect, to the first byte, between bytes.", valueName: "time"),
        transform: Silence.parse)
    var timeout: Silence?

    @Option(
        parsing: .unconditional, help: ArgumentHelp("Higher comes first (default: 0).", valueName: "n"),
        transform: Int32.within(Int32.min...Int32.max))
    var priority: Int32?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Not before this time: RFC 3339, or a length of time from now, such as 2h.", valueName: "time"),
        transform: Instant.parse)
    var notBefore: Instant?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The hours of the day it may run in, such as 22:00-06:00.", valueName: "window"),
        transform: DailyHours.parse)
    var window: DailyHours?

    @Flag(help: "Give the file the modification time that the origin states.")
    var remoteTime = false

    @Flag(help: "Replace a file that stands in the way, once the new one is whole.")
    var overwrite = false

    @Flag(help: "Keep a file that stands in the way, and fetch nothing.")
    var skip = false

    @Flag(help: "Fetch anew what the ledger has already.")
    var again = false

    @OptionGroup(title: "Checks")
    var checks: CheckOptions

    @OptionGroup(title: "Labels")
    var labels: LabelOptions

    @OptionGroup(title: "The way there")
    var route: RouteOptions

    func validate() throws {
        try Paths.requireNamed([dir], "-d")
        if overwrite && skip { throw ValidationError("Give either '--overwrite' or '--skip'.") }
        if checks.ifModified && again { throw ValidationError("Give either '--again' or '--if-modified'.") }
        if checks.ifModified && skip { throw ValidationError("Give either '--skip' or '--if-modified'.") }
    }
}

/// What people call a download and find it by.
struct LabelOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The group it belongs to.", valueName: "name"))
    var group: String?

    @Option(help: ArgumentHelp("A title shown instead of the file name.", valueName: "text"))
    var title: String?

    @Option(help: ArgumentHelp("Words about it.", valueName: "text"))
    var details: String?

    @Option(
        name: .long, parsing: .singleValue,
        help: ArgumentHelp("A word to find it by; may be repeated.", valueName: "word"))
    var tag: [String] = []
}
