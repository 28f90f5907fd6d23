import LedgerAPI
import LedgerEngine
import LedgerLog
import LedgerModel
import LedgerSystem
import SystemPackage

/// The files of the home: whether they are what they should be.
extension Examination {
    private var session: LedgerSession { LedgerSession(context, console, home) }

    /// Whether each name of the ledger is a file or a directory, as it should be.
    func files() -> [Finding] {
        let log = LogHome(home.path)
        let files = [log.lock, log.ballast] + log.manifests + log.heads + [home.tokensLock, home.secrets, home.tokens]
        let directories = [log.log, log.snapshots, log.archive, log.quarantine, home.trash]
        var wrong: [Finding] = []
        let whole = seen("files") { () throws(FileError) in
            // They are read through a link, and never written through one.
            for path in log.heads where try fileSystem.status(of: path)?.kind == .symbolicLink {
                wrong.append(
                    Finding(
                        "files", .bad, "'\(path)' is a link, and nothing is written through one",
                        next: "put the file itself in its place"))
            }
            for path in files { if let finding = try misfit(path, .regular, "file") { wrong.append(finding) } }
            for path in directories {
                if let finding = try misfit(path, .directory, "directory") { wrong.append(finding) }
            }
            // Any other leftover in its place is removed by whoever serves it.
            if try fileSystem.status(of: home.socket)?.kind == .directory {
                wrong.append(
                    Finding(
                        "files", .bad, "'\(home.socket)' is no socket",
                        next: "move it away: whoever holds the ledger makes one there"))
            }
            return Finding("files", .ok, "what stands in the home is of the kind it should be")
        }
        return wrong.isEmpty || whole.result != .ok ? wrong + [whole] : wrong
    }

    private func misfit(
        _ path: FilePath, _ kind: FileStatus.Kind, _ name: String
    ) throws(FileError) -> Finding? {
        // Links may lead to where there is room, but somewhere they have to lead.
        var found: FileStatus.Kind?
        do throws(FileError) { found = try context.kind(of: path) } catch {
            guard error.errno == .tooManySymbolicLinkLevels else { throw error }
        }
        if found == kind { return nil }
        if found == nil, try fileSystem.status(of: path) == nil { return nil }
        return Finding(
            "files", .bad, found == nil ? "'\(path)' is a link that leads nowhere" : "'\(path)' is no \(name)",
            next: "put the \(name) back from a copy of the home, or move this away")
    }

    /// What stands in a home in which nothing recorded can be read: a ledger that is about to be made has no manifest
    /// and no head, and of one that was made they do not go away.
    func withoutLog() -> Finding {
        seen("log") { () throws(FileError) in
            let log = LogHome(home.path)
            var names: [String] = []
            for path in log.manifests + log.heads where try fileSystem.status(of: path) != nil {
                names.append("'\(path.lastComponent?.string ?? "")'")
            }
            guard !names.isEmpty else { return Finding("log", .warn, "nothing was recorded yet") }
            return Finding(
                "log", .bad,
                "no record is here, and no manifest that can be read, though there was a ledger; left of it: "
                    + names.joined(separator: ", "),
                next: "put the home back from a copy; without one move these away: 'ledger add URL' begins a new ledger"
            )
        }
    }

    /// The file of secrets: that nobody else may look at it, and that it holds what downloads need.
    func secrets() async -> Finding {
        let mode: String
        do throws(FileError) {
            guard let status = try fileSystem.status(of: home.secrets) else {
                return await heldSecrets("there is no file of secrets")
            }
            mode = "mode \(String(status.permissions & 0o7777, radix: 8))"
            // A link has no mode of its own, and what is no file is told elsewhere.
            guard status.kind != .regular || status.permissions & 0o077 == 0 else {
                return Finding(
                    "secrets", .bad, "others may look at '\(home.secrets)' (\(mode))",
                    next: "chmod 600 \(home.secrets), and change the passwords in it")
            }
        } catch {
            return Finding(
                "secrets", .bad, "can not be looked at: \(error.description)", next: "see who may, and as whom")
        }
        return await heldSecrets(mode)
    }

    /// Whether the secrets that some download needs are at hand.
    private func heldSecrets(_ words: String) async -> Finding {
        var needed: Set<SecretReference>?
        // Without a log that can be read nobody knows what is needed: another look tells of that.
        do throws(Problem) { needed = try await session.state(at: nil).ownedSecrets } catch { needed = nil }
        return seen("secrets") { [needed] () throws(FileError) in
            let store = try SecretStore(home.secrets, fileSystem: fileSystem, random: context.world.random)
            guard let needed else { return Finding("secrets", .ok, words) }
            guard !needed.isEmpty else { return Finding("secrets", .ok, words + ", and no download needs any") }
            let missing = needed.count { store.secrets(of: $0) == nil }
            guard missing > 0 else { return Finding("secrets", .ok, words) }
            return Finding(
                "secrets", .bad,
                "\(missing) of the \(needed.count) that downloads need are not in '\(home.secrets)'",
                next: "put the file back from a copy of the home, or ask for those downloads anew")
        }
    }
}
