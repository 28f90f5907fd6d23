import ArgumentParser
import LedgerAPI
import LedgerEngine
import LedgerSystem
import SystemPackage

/// Where to look for what a compaction took out of the log.
struct ArchiveOptions: ParsableArguments {
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Where archived segments stand, when not in the home.", valueName: "dir"),
        completion: .directory)
    var archive: String?

    /// The directory, absolute; nil for the home's.
    /// - Throws: a ``Problem`` when it is none.
    func path(in context: CommandContext) throws(Problem) -> FilePath? {
        guard let archive else { return nil }
        return try Self.directory(archive, in: context)
    }

    /// A directory that should hold archived segments, absolute.
    /// - Throws: a ``Problem`` when it is none.
    static func directory(_ name: String, in context: CommandContext) throws(Problem) -> FilePath {
        let path = context.path(name)
        guard !name.isEmpty, try context.namedKind(of: path) == .directory else {
            throw Problem(
                .usage, "'\(name)' is not a directory",
                next: "give the directory that the archived segments were moved to", exitCode: .usage)
        }
        return path
    }
}
