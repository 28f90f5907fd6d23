package import LedgerModel
package import LedgerSystem
import LedgerTransfer
package import SystemPackage

/// Moves files of deleted downloads into the trash, back from it, and out of it for good. Blocks.
///
/// A file is only ever renamed. Where the trash that the deletion names can not be reached by a rename, as behind a
/// bind mount, a hidden directory beside the file takes its place: both are functions of the state.
package struct Trash {
    /// The name of the hidden directory beside files on another file system than the ledger's home.
    package static let hiddenName = ".ledger-trash"

    private let fileSystem: any FileSystem
    private let home: LedgerHome
    private let directories = DurableDirectories()

    /// The trash of a ledger on this disk.
    package init(_ fileSystem: any FileSystem, of home: LedgerHome) {
        self.fileSystem = fileSystem
        self.home = home
    }

    /// Where in this home's trash what a deletion names is: the home may have been moved since, or be a copy, which has
    /// no business in the trash of the ledger it was copied from.
    private func place(_ target: FilePath) -> FilePath {
        let directory = target.removingLastComponent().lastComponent
        guard directory != FilePath.Component(Self.hiddenName), let name = target.lastComponent else { return target }
        return home.trash.appending(name)
    }

    /// Moves a file to the place that its deletion names, durably.
    func take(_ file: FilePath, to named: FilePath) throws(FileError) {
        let target = place(named)
        do throws(FileError) {
            try move(file, to: target)
        } catch {
            guard error.errno == .improperLink else { throw error }
            try move(file, to: Self.beside(file, target))
        }
    }

    /// Brings a file back to where it was, or, unless it `staysInPlace`, beside what stands there now; nothing is
    /// overwritten. One that a process brought back beside it before it died is found there.
    /// - Returns: where it stands now and what it is; nil when it is not in the trash.
    func bringBack(
        _ published: PublishedFile, from target: FilePath, staysInPlace: Bool
    ) throws(FileError) -> (path: FilePath, status: FileStatus)? {
        let old = FilePath(published.path)
        guard let (trash, status) = try find(published, target) else { return try findBeside(published) }
        let directory = old.removingLastComponent()
        try directories.ensure(directory, permissions: 0o755, in: fileSystem)
        for number in 0..<(staysInPlace ? 1 : Publication.numberedNamesMax) {
            let path = Self.numbered(old, number)
            do throws(FileError) {
                try fileSystem.rename(trash, to: path, replacing: false)
            } catch {
                guard error.errno == .fileExists else { throw error }
                continue
            }
            try fileSystem.synchronizeDirectory(directory)
            try tidy(trash)
            return (path, status)
        }
        throw FileError("rename", trash, .fileExists)
    }

    /// Whether the file of a download is in the trash.
    func has(_ published: PublishedFile, at target: FilePath) throws(FileError) -> Bool {
        try find(published, target) != nil
    }

    /// Whether the file of a deleted download can be brought back: it is in the trash, or was brought back before.
    package func holds(_ published: PublishedFile, at target: FilePath) throws(FileError) -> Bool {
        if try has(published, at: target) { return true }
        let standing = try fileSystem.status(of: FilePath(published.path))
        if standing?.isSame(as: published.identity) ?? false { return true }
        return try findBeside(published) != nil
    }

    /// The very file, under one of the names that are tried when its own is taken: each up to its own was taken then.
    private func findBeside(_ published: PublishedFile) throws(FileError) -> (path: FilePath, status: FileStatus)? {
        for number in 1..<Publication.numberedNamesMax {
            let path = Self.numbered(FilePath(published.path), number)
            guard let status = try fileSystem.status(of: path) else { return nil }
            if status.isSame(as: published.identity), status.inode == published.identity?.inode {
                return (path, status)
            }
        }
        return nil
    }

    private static func numbered(_ file: FilePath, _ number: Int) -> FilePath {
        let name = file.lastComponent?.string ?? "download"
        return number == 0 ? file : file.removingLastComponent().appending(FileName.numbered(name, number))
    }

    /// Removes a file from the trash for good, if it is there.
    func remove(_ published: PublishedFile, from target: FilePath) throws(FileError) {
        guard let (trash, _) = try find(published, target) else { return }
        try fileSystem.unlink(trash)
        try tidy(trash)
    }

    /// Where the file is: at the place its deletion names, or in the hidden directory beside where it stood.
    private func find(
        _ published: PublishedFile, _ target: FilePath
    ) throws(FileError) -> (path: FilePath, status: FileStatus)? {
        for path in [place(target), Self.beside(FilePath(published.path), target)] {
            if let status = try fileSystem.status(of: path), status.isSame(as: published.identity) {
                return (path, status)
            }
        }
        return nil
    }

    private func move(_ file: FilePath, to target: FilePath) throws(FileError) {
        let directory = target.removingLastComponent()
        try directories.ensure(directory, permissions: 0o700, in: fileSystem)
        try fileSystem.rename(file, to: target, replacing: false)
        try fileSystem.synchronizeDirectory(directory)
    }

    /// Makes durable that a file left its directory; a hidden one goes with its last file.
    private func tidy(_ file: FilePath) throws(FileError) {
        let directory = file.removingLastComponent()
        try fileSystem.synchronizeDirectory(directory)
        guard directory.lastComponent?.string == Self.hiddenName, try fileSystem.list(directory).isEmpty else { return }
        do throws(FileError) {
            try fileSystem.removeDirectory(directory)
        } catch {
            // Another ledger may just have put a file there.
            guard error.errno == .directoryNotEmpty else { throw error }
        }
    }

    private static func beside(_ file: FilePath, _ target: FilePath) -> FilePath {
        let name = target.lastComponent?.string ?? "download"
        return file.removingLastComponent().appending(hiddenName).appending(name)
    }
}

extension AssignmentMaker {
    /// Where the file of a download goes that is deleted now: into the home's trash, or, on another file system, into a
    /// hidden directory beside itself, so that it is always a rename. Blocks.
    package func trashPath(of id: DownloadID, _ download: Download?, in home: LedgerHome, _ world: World) -> String {
        let directory = FilePath(download?.order.destination.directory ?? home.path.string)
        let file = download?.file.map { FilePath($0.value.path) }
        var name = "\(id)-" + (file?.lastComponent?.string ?? "nothing")
        let place = file?.removingLastComponent() ?? directory
        var trash = home.trash
        if !isOneFileSystem(home.path, place, world.fileSystem) {
            trash = place.appending(Trash.hiddenName)
            // Files of several ledgers may meet there.
            name = ledgerPrefix + "-" + name
        }
        return trash.appending(FileName.shortened(name, bytesMax: Destination.nameBytesMax)).string
    }

    private func isOneFileSystem(_ one: FilePath, _ other: FilePath, _ fileSystem: any FileSystem) -> Bool {
        do throws(FileError) {
            return try fileSystem.status(of: one)?.device == fileSystem.status(of: other)?.device
        } catch {
            // What can not be looked at is not moved far.
            return false
        }
    }
}
