import LedgerAPI
import LedgerSystem
import SystemPackage

/// Finds out, before anything is enqueued, whether files can be put into a directory.
struct DirectoryCheck {
    /// What a check makes. One name for all, so that the next check removes what a killed one left.
    static let probe = ".ledger.probe"

    /// The disk.
    let fileSystem: any FileSystem
    /// The flag that gives another directory.
    var flag = "-d"

    /// Makes the directory when it is missing, and makes and removes a file in it.
    /// - Throws: a ``Problem`` that says why it is no place for files.
    func prepare(_ directory: String) throws(Problem) {
        guard directory.hasPrefix("/") else { throw .nowhere(directory, flag: flag) }
        let path = FilePath(directory)
        do throws(FileError) {
            try fileSystem.createDurableDirectory(path, permissions: 0o755)
            let isOurs = try make(path.appending(Self.probe))
            try remove(path.appending(Self.probe), isOurs: isOurs)
        } catch {
            if error.isDiskFull {
                throw Problem(
                    .diskFull, "there is no room in the directory '\(directory)'",
                    cause: "\(error.call): \(error.errno)", next: "make room, or give another directory with '\(flag)'",
                    exitCode: .disk)
            }
            throw Problem(
                .badDestination, "the directory '\(directory)' can not be written to",
                cause: "\(error.call): \(error.errno)", next: "give another directory with '\(flag)'",
                exitCode: error.errno == .fileNameTooLong ? .usage : .disk)
        }
    }

    /// - Returns: whether it was made here.
    private func make(_ probe: FilePath) throws(FileError) -> Bool {
        do throws(FileError) {
            try fileSystem.open(probe, .create(permissions: 0o600)).close()
            return true
        } catch {
            // One that is there was left by a killed check, or is another's at work: removing it tells as much.
            guard error.errno == .fileExists else { throw error }
            return false
        }
    }

    private func remove(_ probe: FilePath, isOurs: Bool) throws(FileError) {
        do throws(FileError) {
            try fileSystem.unlink(probe)
        } catch {
            // Another check was quicker, or it is someone else's in a directory that all may write to (sticky). What
            // can not be taken back though it is ours stands in a directory that files may only be added to.
            let harmless: [Errno] = [.noSuchFileOrDirectory, .isDirectory] + (isOurs ? [] : [.notPermitted])
            guard harmless.contains(error.errno) else { throw error }
        }
    }
}

extension Problem {
    /// A directory that is named from one that is not there any more.
    static func nowhere(_ directory: String, flag: String) -> Problem {
        Problem(
            .badDestination, "'\(directory)' is nowhere: the current directory was removed",
            next: "go to one that is there, or give an absolute one with '\(flag)'", exitCode: .usage)
    }
}
