import LedgerLog
package import LedgerSystem
package import SystemPackage

extension LedgerHome {
    /// The names in a home of what only the ledger writes.
    private static let own: Set<String> = {
        let home = LedgerHome("/")
        let paths = [
            home.socket, home.heir, home.secrets, home.trash, home.tokens, home.tokensLock, home.container,
            home.configuration,
        ]
        return LogHome(home.path).names.union(paths.compactMap { $0.lastComponent?.string })
    }()

    /// Where a path, which need not be there yet, lies below this home, by whatever links; nil when it does not, or
    /// there is no home.
    /// - Throws: what the disk said; `ENOENT` for a link that leads nowhere.
    package func components(
        of place: FilePath, _ fileSystem: any FileSystem
    ) throws(FileError) -> [String]? {
        guard try fileSystem.status(of: path) != nil else { return nil }
        let home = try fileSystem.resolved(path)
        let (standing, missing) = try fileSystem.weaklyResolved(place)
        guard standing.starts(with: home) else { return nil }
        return (standing.components.dropFirst(home.components.count) + missing).map(\.string)
    }

    /// Whether a file of this name in a directory of these components below a home is one of the ledger's own, or lies
    /// in one of its directories.
    /// - Parameter name: nil for one that is not known yet.
    package static func owns(_ name: String?, in directory: [String]) -> Bool {
        (directory.first ?? name).map(own.contains) ?? false
    }
}
