import LedgerModel
import LedgerSystem
import SystemPackage

/// A file that is written beside its name and takes it when it is whole: a reader never finds a part of it. Blocks.
final class StagedFile: Sendable {
    /// The name it takes.
    let path: FilePath
    /// Where it is written.
    let temporary: FilePath
    private let fileSystem: any FileSystem
    private let overwrites: Bool

    /// Only the user may read what is exported: it says what was downloaded from where.
    static let permissions: UInt16 = 0o600

    /// A file at an absolute path. What an earlier run left beside it is removed.
    /// - Throws: a ``FileError``: `EEXIST` when something has the name and it is not to be overwritten, `EINVAL` when
    ///   that is no file.
    init(_ path: FilePath, overwrites: Bool, fileSystem: any FileSystem) throws(FileError) {
        self.path = path
        self.overwrites = overwrites
        self.fileSystem = fileSystem
        // A name that nobody else gives a file, and the same each time: what a killed run left goes with the next.
        let name = FileName.shortened(path.lastComponent?.string ?? "", bytesMax: Destination.nameBytesMax)
        temporary = path.removingLastComponent().appending(".\(name).ledger-export")
        let status = try fileSystem.status(of: path)
        if !overwrites, status != nil { throw FileError("open", path, .fileExists) }
        // A device, a pipe or a link is not made a file of its own.
        if let status, status.kind != .regular { throw FileError("rename", path, .invalidArgument) }
        if try fileSystem.status(of: temporary) != nil { try fileSystem.unlink(temporary) }
    }

    /// Makes the empty file, for a writer who would make it readable by others.
    func begin() throws(FileError) { try fileSystem.open(temporary, .create(permissions: Self.permissions)).close() }

    /// Makes what was written durable, and gives it its name.
    func publish() throws(FileError) {
        try fileSystem.synchronizeFile(temporary)
        try fileSystem.rename(temporary, to: path, replacing: overwrites)
        try fileSystem.synchronizeDirectory(path.removingLastComponent())
    }

    /// Removes what was written.
    func abandon() throws(FileError) {
        if try fileSystem.status(of: temporary) != nil { try fileSystem.unlink(temporary) }
    }
}
