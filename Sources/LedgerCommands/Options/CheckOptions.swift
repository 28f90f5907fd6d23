import ArgumentParser

/// What is to be asked and checked of a file, in `get` and `add`.
struct CheckOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Where a list of checksums stands (as sha256sum prints them) that names the file.", valueName: "url"))
    var checksumFile: String?

    @Option(help: ArgumentHelp("The media type that the origin must state, such as 'video/*'.", valueName: "type"))
    var expectType: String?

    @Flag(help: "Unpack what the origin compressed on its own (gzip, deflate); without it bytes stay as served.")
    var decompress = false

    @Flag(
        help: ArgumentHelp(
            "Of a finished file, ask whether the origin has a newer one; if so, it takes the old one's place."))
    var ifModified = false
}
