import LedgerAPI
import LedgerEngine
import LedgerLog
import LedgerModel
import LedgerServer
import LedgerSystem
import LedgerViews
import SystemPackage

/// The home of the ledger: where it is, whose it is, and what it stands on.
extension Examination {
    /// Below this a disk is as good as full for a ledger, in bytes.
    static let roomBytesMin: UInt64 = 64 << 20
    /// Below this it soon will be, in bytes.
    static let roomBytesLow: UInt64 = 1 << 30

    /// Whether the home is there, ours alone, and can be written to.
    func lookAtHome() -> (findings: [Finding], isThere: Bool) {
        do throws(FileError) {
            guard let kind = try context.kind(of: home.path) else {
                guard try fileSystem.status(of: home.path) == nil else {
                    let next = "remove it, or make what it leads to"
                    return ([Finding("home", .bad, "'\(home.path)' is a link that leads nowhere", next: next)], false)
                }
                let words = "there is no ledger at '\(home.path)' yet"
                return ([Finding("home", .warn, words, next: "'ledger add URL' makes it")], false)
            }
            let path = try fileSystem.resolved(home.path)
            guard kind == .directory, let status = try fileSystem.status(of: path) else {
                let next = "move it away, or give another place with '--home'"
                return ([Finding("home", .bad, "'\(home.path)' is no directory", next: next)], false)
            }
            return ([mode(of: path, status.permissions), try ownership(of: path), syncing(path)], true)
        } catch {
            let next = "look who may, and run this as the user of the ledger"
            let words = "'\(home.path)' can not be looked at: \(error.call): \(error.errno)"
            return ([Finding("home", .bad, words, next: next)], false)
        }
    }

    private func mode(of path: FilePath, _ permissions: UInt16) -> Finding {
        let mode = String(permissions & 0o7777, radix: 8)
        guard permissions & 0o077 == 0 else {
            let isOpen = permissions & 0o022 != 0
            return Finding(
                "home", isOpen ? .bad : .warn,
                "others may \(isOpen ? "write to" : "look into") '\(path)' (mode \(mode))",
                next: "chmod 700 \(path)")
        }
        return Finding("home", .ok, "'\(path)', mode \(mode)")
    }

    private func ownership(of path: FilePath) throws(FileError) -> Finding {
        let (owner, user) = (try Ownership(of: path), CurrentProcess.user)
        guard owner.user == user || user == 0 else {
            return Finding(
                "owner", .bad, "the home is of user \(owner.user), and this is user \(user)",
                next: "run it as user \(owner.user), or give it away: chown -R \(user) \(path)")
        }
        guard owner.user == user else {
            return Finding(
                "owner", .warn, "the home is of user \(owner.user), and this is root",
                next: "what root writes there that user can not change: run it as user \(owner.user)")
        }
        guard owner.mayWrite else {
            return Finding(
                "owner", .bad, "the home can not be written to: by its mode, or its disk is mounted for reading alone",
                next: "chmod 700 \(path), mount it for writing, or look only: 'ledger list', 'ledger replay'")
        }
        return Finding("owner", .ok, "user \(user), who may write there")
    }

    /// A directory that can not be synced keeps no promise about names in it.
    private func syncing(_ path: FilePath) -> Finding {
        seen("sync") { () throws(FileError) in
            try fileSystem.synchronizeDirectory(path)
            return Finding("sync", .ok, "names in the home can be made durable")
        }
    }

    /// The kind of disk below a path.
    func volume(of path: FilePath, _ check: String, _ what: String) -> Finding {
        seen(check) { () throws(FileError) in
            let volume = try Volume(at: path)
            let kind = "\(what) is on \(volume.name)"
            let local = "put it on a disk of this machine"
            switch volume.trait {
            case .local: return Finding(check, .ok, kind)
            case .network:
                return Finding(
                    check, .warn, "\(kind): locks and syncs are as good as the machine behind it", next: local)
            case .memory: return Finding(check, .warn, "\(kind): it is gone with the machine's memory", next: local)
            case .layered:
                return Finding(check, .warn, "\(kind): it is gone with the container", next: "give it a volume")
            }
        }
    }

    /// How much still fits below a path, and what of the rest deleted files take.
    /// - Parameter trash: where those are that stand on the same disk.
    func room(in path: FilePath, _ check: String, trash: FilePath) -> Finding {
        seen(check) { () throws(FileError) in
            let free = try fileSystem.availableBytes(at: path)
            let deleted = free < Self.roomBytesLow ? try bytesOfFiles(in: trash) : 0
            return Self.room(in: path, check, freeBytes: free, trash: trash, deletedBytes: deleted)
        }
    }

    /// What so much room comes to.
    static func room(
        in path: FilePath, _ check: String, freeBytes: UInt64, trash: FilePath, deletedBytes: UInt64
    ) -> Finding {
        var words = "\(Figures.size(freeBytes)) are free at '\(path)'"
        if freeBytes >= roomBytesLow { return Finding(check, .ok, words) }
        var next = "make room there"
        if deletedBytes > 0 {
            words += ", and deleted files in '\(trash)' take \(Figures.size(deletedBytes))"
            next += "; 'trashSizeMax: 0' in config.yaml has the next 'ledger run' remove those for good"
        }
        return Finding(check, freeBytes < roomBytesMin ? .bad : .warn, words, next: next)
    }

    /// What the files of a directory hold together, in bytes; nothing where there is none.
    private func bytesOfFiles(in directory: FilePath) throws(FileError) -> UInt64 {
        guard try fileSystem.status(of: directory)?.kind == .directory else { return 0 }
        var bytes: UInt64 = 0
        for name in try fileSystem.list(directory) {
            let status = try fileSystem.status(of: directory.appending(name))
            if let status, status.kind == .regular { bytes = bytes.addingClamped(status.length) }
        }
        return bytes
    }

    /// The file of tokens.
    func tokens() -> Finding {
        do throws(Problem) {
            let tokens = try TokenFile(home, fileSystem: fileSystem).tokens()
            guard !tokens.isEmpty else {
                return Finding("tokens", .ok, "there is none: the API is open to this machine alone")
            }
            return Finding("tokens", .ok, "the API is opened by \(Figures.counted(tokens.tokens.count, "token"))")
        } catch { return Finding("tokens", error) }
    }
}
