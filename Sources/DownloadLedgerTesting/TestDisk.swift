public import FoundationEssentials
import LedgerSystem
import LedgerTestSupport
import SystemPackage

/// A disk in memory: what was not synced is lost when the power is cut.
public struct TestDisk: Sendable {
    let simulated: SimulatedDisk

    init(_ simulated: SimulatedDisk) { self.simulated = simulated }

    /// The bytes of a file; nil when there is none.
    /// - Throws: an error when the power is cut.
    public func contents(of file: URL) throws -> [UInt8]? { try simulated.contents(of: path(of: file)) }

    /// The names in a directory, in order; none when it is not there.
    /// - Throws: an error when the power is cut.
    public func names(in directory: URL) throws -> [String] {
        let path = path(of: directory)
        return try simulated.status(of: path) == nil ? [] : simulated.list(path)
    }

    /// Puts other bytes in a file's place, as someone behind the ledger's back might.
    /// - Throws: an error when the power is cut.
    public func replace(_ file: URL, with bytes: [UInt8]) throws {
        try simulated.replaceContents(of: path(of: file), with: bytes, permissions: 0o644)
    }

    /// Removes a file behind the ledger's back.
    /// - Throws: an error when there is none, or the power is cut.
    public func remove(_ file: URL) throws { try simulated.unlink(path(of: file)) }

    private func path(of url: URL) -> FilePath { FilePath(url.path(percentEncoded: false)) }
}
