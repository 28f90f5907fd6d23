import LedgerSystem
import SystemPackage

/// The lock of a ledger's home. Who keeps a copy holds it.
struct HomeLock: Sendable {
    private let held: any FileLock
    /// What is locked.
    let identity: HomeIdentity

    /// Takes the lock; nil when another process holds it.
    static func take(_ home: LogHome, _ fileSystem: any FileSystem) throws(FileError) -> HomeLock? {
        guard let held = try fileSystem.lock(home.lock) else { return nil }
        let status = try held.status()
        return HomeLock(
            held: held, identity: HomeIdentity(home: home, inode: status.inode, device: status.device))
    }

    /// Gives it back.
    func unlock() { held.unlock() }
}

/// Which file the lock of a home is: who moves the home away, or puts a copy of it back in its place, moves the lock
/// with it, and a holder that went on by the names would write into another ledger.
struct HomeIdentity: Sendable {
    let home: LogHome
    fileprivate let inode: UInt64
    fileprivate let device: UInt64

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
