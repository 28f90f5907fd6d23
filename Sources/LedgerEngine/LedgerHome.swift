package import SystemPackage

/// The directory a ledger lives in, and the names in it that the engine owns. The log owns the others.
package struct LedgerHome: Hashable, Sendable {
    /// The directory, absolute, mode 0700.
    package let path: FilePath

    /// The home at an absolute path.
    package init(_ path: FilePath) { self.path = path }

    /// The socket of whoever holds the ledger.
    package var socket: FilePath { path.appending("ledger.sock") }
    /// What orders hold that must not stand in the log; mode 0600.
    package var secrets: FilePath { path.appending("secrets") }
    /// Deleted files on the same file system.
    package var trash: FilePath { path.appending("trash") }
    /// The user's configuration.
    package var configuration: FilePath { path.appending("config.yaml") }
}
