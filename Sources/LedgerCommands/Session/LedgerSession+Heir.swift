import LedgerAPI
import LedgerEngine
import LedgerLog
import LedgerSystem
import SystemPackage

extension LedgerSession {
    /// Says that this command waits to hold the ledger for long: short ones leave the ledger's lock to it, and ask
    /// whoever has it. With a long queue each of them would read it for a second, and there may always be one.
    /// - Returns: what says so until it is let go; nil when another waits already, or where there is no ledger yet.
    func becomeHeir() async throws(Problem) -> (any FileLock)? {
        let (home, fileSystem) = (home, context.world.fileSystem)
        return try await blocking { () throws(LedgerError) in
            do throws(FileError) {
                return try fileSystem.status(of: LogHome(home.path).lock) == nil ? nil : fileSystem.lock(home.heir)
            } catch {
                // What is wrong with the home is told by whoever takes its lock.
                return nil
            }
        }
    }

    /// Whether somebody waits to hold the ledger for long.
    func hasHeir() async throws(Problem) -> Bool { try await isTaken(home.heir) }

    /// Whether somebody holds the ledger.
    func isHeld() async throws(Problem) -> Bool { try await isTaken(LogHome(home.path).lock) }

    /// Whether another process has a lock; what is wrong with it is told by whoever takes it.
    private func isTaken(_ path: FilePath) async throws(Problem) -> Bool {
        let fileSystem = context.world.fileSystem
        return try await blocking { () throws(LedgerError) in
            do throws(FileError) {
                guard try fileSystem.status(of: path) != nil else { return false }
                guard let lock = try fileSystem.lock(path) else { return true }
                lock.unlock()
                return false
            } catch { return false }
        }
    }
}
