import LedgerAPI
import LedgerEngine
import LedgerModel
import LedgerServer
import LedgerSystem
import SystemPackage

extension Backup {
    /// The files beside the log that are to be copied, and why others are not: a damaged one does not take the place of
    /// the whole one in the backup, which may be the only one there is.
    func companions(
        of session: LedgerSession, in target: FilePath
    ) async throws(Problem) -> (names: [String], kept: [Problem]) {
        let (home, fileSystem) = (session.home, session.context.world.fileSystem)
        let (backup, random) = (LedgerHome(target), session.context.world.random)
        var kept: [String: Problem] = [:]
        do throws(Problem) { _ = try TokenFile(home, fileSystem: fileSystem).tokens() } catch {
            if hasTokens(backup, fileSystem) { kept[home.tokens.lastComponent?.string ?? ""] = error }
        }
        let hasCopy = try await session.blocking { () throws(LedgerError) in
            do throws(FileError) { return try fileSystem.status(of: backup.secrets) != nil } catch {
                throw .file(error)
            }
        }
        // The state is not made for a backup that has none to keep.
        let needed = hasCopy ? await needed(in: session) : []
        let lost = try await session.blocking { () throws(LedgerError) in
            do throws(FileError) {
                let own = try SecretStore(home.secrets, fileSystem: fileSystem, random: random)
                let lost = needed.filter { own.secrets(of: $0) == nil }
                guard !lost.isEmpty else { return 0 }
                let copy = try SecretStore(backup.secrets, fileSystem: fileSystem, random: random)
                return lost.count { copy.secrets(of: $0) != nil }
            } catch { throw .file(error) }
        }
        if lost > 0 {
            kept[home.secrets.lastComponent?.string ?? ""] = Problem(
                .closed, "'\(home.secrets)' lacks \(lost) secrets that downloads need and the backup has",
                next: "put it back from '\(target)'", exitCode: .failed)
        }
        return (home.companions.filter { kept[$0] == nil }, kept.values.sorted { $0.message < $1.message })
    }

    private func hasTokens(_ home: LedgerHome, _ fileSystem: any FileSystem) -> Bool {
        do throws(Problem) { return try !TokenFile(home, fileSystem: fileSystem).tokens().isEmpty } catch {
            return false
        }
    }

    /// The secrets that downloads need; none where the log does not tell: the backup itself says why.
    private func needed(in session: LedgerSession) async -> Set<SecretReference> {
        do throws(Problem) { return try await session.state(at: nil).ownedSecrets } catch { return [] }
    }
}
