package import SystemPackage

/// The directory a ledger lives in, and the names in it that the engine owns. The log owns the others.
package struct LedgerHome: Hashable, Sendable {
    /// The directory, absolute, mode 0700.
    package let path: FilePath

    /// Where looks into the past find archived segments; nil for the home's own directory. Whoever writes to the ledger
    /// uses that one.
    package let archive: FilePath?

    /// The home at an absolute path, its archive at another when one is given.
    package init(_ path: FilePath, archive: FilePath? = nil) {
        self.path = path
        self.archive = archive
    }

    /// Where the ledger's own files are: nothing that is downloaded may go there.
    package var directories: [FilePath] { [path] + (archive.map { [$0] } ?? []) }

    /// The socket of whoever holds the ledger.
    package var socket: FilePath { path.appending("ledger.sock") }
    /// The file whose lock says that somebody waits to hold the ledger for long.
    package var heir: FilePath { path.appending("ledger.next") }
    /// What orders hold that must not stand in the log; mode 0600.
    package var secrets: FilePath { path.appending("secrets") }
    /// Deleted files on the same file system.
    package var trash: FilePath { path.appending("trash") }
    /// What opens the API; mode 0600.
    package var tokens: FilePath { path.appending("tokens") }
    /// The file whose lock says that somebody changes ``tokens``.
    package var tokensLock: FilePath { path.appending("tokens.lock") }
    /// Where an app's container was, with this ledger in it, when the app last opened it.
    package var container: FilePath { path.appending("container") }
    /// The user's configuration.
    package var configuration: FilePath { path.appending("config.yaml") }
}
