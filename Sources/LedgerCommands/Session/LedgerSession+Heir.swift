import LedgerAPI
import LedgerEngine
import LedgerLog
import LedgerSystem

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
    func hasHeir() async throws(Problem) -> Bool {
        let (home, fileSystem) = (home, context.world.fileSystem)
        return try await blocking { () throws(LedgerError) in
            do throws(FileError) {
                guard try fileSystem.status(of: home.heir) != nil else { return false }
                guard let lock = try fileSystem.lock(home.heir) else { return true }
                lock.unlock()
                return false
            } catch { return false }
        }
    }
}
