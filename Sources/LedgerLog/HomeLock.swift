import LedgerSystem
import SystemPackage

/// The lock of a ledger's home, and which file it is: who moves the home away, or puts a copy of it back in its place,
/// moves the lock with it, and a holder that went on by the names would write into another ledger.
struct HomeLock: Sendable {
    private let held: any FileLock
    private let home: LogHome
    private let inode: UInt64
    private let device: UInt64

    /// Takes the lock; nil when another process holds it.
    static func take(_ home: LogHome, _ fileSystem: any FileSystem) throws(FileError) -> HomeLock? {
        guard let held = try fileSystem.lock(home.lock) else { return nil }
        let status = try held.status()
        return HomeLock(held: held, home: home, inode: status.inode, device: status.device)
    }

    /// Before anything is written by its name: what stands under the lock's name must be the file that is locked. What
    /// can not be looked at may be: writing tells. `lstat(2)`.
    /// - Throws: ``LogError/moved(_:)``.
    func check(_ fileSystem: any FileSystem) throws(LogError) {
        do throws(FileError) {
            let status = try fileSystem.status(of: home.lock)
            if status?.inode == inode, status?.device == device { return }
        } catch { return }
        throw .moved(home.path)
    }

    /// Gives it back.
    func unlock() { held.unlock() }
}

extension LogError {
    /// The home of an open log is not where it was.
    static func moved(_ home: FilePath) -> LogError {
        LogError(
            .io, "the ledger at '\(home)' was moved or replaced while it was open", file: "ledger.lock",
            detail: "what stands there now is not what this process holds, and it writes nothing into it",
            next: "start again with the home that is meant: everything acknowledged stands in the one that was moved")
    }
}
