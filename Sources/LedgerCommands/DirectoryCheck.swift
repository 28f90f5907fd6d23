import LedgerAPI
import LedgerSystem
import SystemPackage

/// Finds out, before anything is enqueued, whether files can be put into a directory.
struct DirectoryCheck {
    /// The disk.
    let fileSystem: any FileSystem
    /// Draws a name that nobody has.
    let random: @Sendable () -> UInt64

    /// Makes the directory when it is missing, and makes and removes a file in it.
    /// - Throws: a ``Problem`` that says why it is no place for files.
    func prepare(_ directory: String) throws(Problem) {
        let path = FilePath(directory)
        do throws(FileError) {
            try fileSystem.createDirectory(path, permissions: 0o755)
            let probe = path.appending(".ledger-\(String(random(), radix: 36)).probe")
            try fileSystem.open(probe, .create(permissions: 0o600)).close()
            try fileSystem.unlink(probe)
        } catch {
            if error.isDiskFull {
                throw Problem(
                    .diskFull, "there is no room in the directory '\(directory)'",
                    cause: "\(error.call): \(error.errno)", next: "make room, or give another directory with '-d'",
                    exitCode: .disk)
            }
            throw Problem(
                .badDestination, "the directory '\(directory)' can not be written to",
                cause: "\(error.call): \(error.errno)", next: "give another directory with '-d'", exitCode: .disk)
        }
    }
}
