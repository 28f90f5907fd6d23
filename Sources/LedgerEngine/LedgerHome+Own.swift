import LedgerLog
package import LedgerSystem
package import SystemPackage

extension LedgerHome {
    /// The names in a home of what only the ledger writes.
    private static let own: Set<String> = {
        let home = LedgerHome("/")
        let paths = [
            home.socket, home.heir, home.secrets, home.trash, home.tokens, home.tokensLock, home.configuration,
        ]
        return LogHome(home.path).names.union(paths.compactMap { $0.lastComponent?.string })
    }()

    /// Where a directory lies below this home, by whatever links; nil when it does not.
    /// - Throws: what the disk said; `ENOENT` for a link that leads nowhere.
    package func components(
        of directory: FilePath, _ fileSystem: any FileSystem
    ) throws(FileError) -> [String]? {
        let home = try fileSystem.resolved(path)
        let (standing, missing) = try fileSystem.weaklyResolved(directory)
        guard standing.starts(with: home) else { return nil }
        return (standing.components.dropFirst(home.components.count) + missing).map(\.string)
    }

    /// Whether a path of these components below a home is one of the ledger's own files, or lies in one of its
    /// directories.
    package static func owns(_ components: [String]) -> Bool { components.first.map(own.contains) ?? false }
}
