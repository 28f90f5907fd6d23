package import LedgerAPI
import LedgerLog
package import LedgerModel
import LedgerSystem

/// The secrets beside the log are written by name, as the log is not: first it is made sure that the home is this one.
extension Ledger {
    /// Keeps secrets, durably, until they are released, or some order needs them.
    /// - Throws: ``LedgerError``: that the home was moved, the disk.
    package nonisolated func keep(
        _ all: [OrderSecrets], in secrets: SecretStore
    ) async throws(LedgerError) -> [SecretReference?] {
        // Of nothing nothing is written, and nobody is waited for.
        guard all.contains(where: { !$0.isEmpty }) else { return Array(repeating: nil, count: all.count) }
        try await requireInPlace()
        do throws(FileError) {
            return try await world.blocking.run { () throws(FileError) in try secrets.keep(all) }
        } catch { throw .file(error) }
    }

    /// Removes the secrets that no download needs any more, whatever became of them: it follows from the state.
    /// - Throws: ``LedgerError``: that the home was moved, the disk.
    package func sweep(_ secrets: SecretStore) async throws(LedgerError) {
        guard secrets.beginSweep() else { return }
        let owned: Set<SecretReference>?
        var failure: LedgerError?
        do throws(LedgerError) {
            try requireInPlace()
            owned = try read { $0.ownedSecrets }
        } catch { (owned, failure) = (nil, error) }
        // Ended in any case: who can not tell what is owned removes nothing.
        do throws(FileError) {
            try await world.blocking.run { () throws(FileError) in try secrets.endSweep(owned: owned) }
        } catch { throw .file(error) }
        if let failure { throw failure }
    }

    private func requireInPlace() throws(LedgerError) {
        try requireOpen()
        try logged { () throws(LogError) in try log?.requireInPlace() }
    }
}
