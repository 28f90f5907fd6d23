import LedgerLog
import LedgerModel
import LedgerSystem
import SystemPackage

/// The home that an import fills, and the places beside it on the way there.
struct ImportTarget: Sendable {
    /// The home.
    let home: LedgerHome
    /// Where the new ledger is written.
    let place: LedgerHome
    /// Where an empty ledger that stands in the home is while the new one takes its place.
    private let aside: FilePath
    private let fileSystem: any FileSystem

    /// What of a home the user put there, which the new ledger keeps.
    private var kept: [String] { home.companions }
    /// The longest of these, in bytes.
    private static let keptBytesMax = 256 << 20

    init(home: LedgerHome, fileSystem: any FileSystem) {
        self.home = home
        self.fileSystem = fileSystem
        place = LedgerHome(Self.beside(home.path, "importing"))
        aside = Self.beside(home.path, "replaced")
    }

    private static func beside(_ path: FilePath, _ suffix: String) -> FilePath {
        path.removingLastComponent().appending((path.lastComponent?.string ?? "ledger") + "." + suffix)
    }

    /// Finds out whether the home is empty, and removes what an import that was cut short left beside it.
    func prepare(isDryRun: Bool) throws(LedgerError) {
        do throws(FileError) {
            // Cut between its two renames, an import leaves no home, and the empty one beside it.
            if !isDryRun, try fileSystem.status(of: home.path) == nil, try fileSystem.status(of: aside) != nil {
                try fileSystem.rename(aside, to: home.path, replacing: false)
            }
        } catch { throw .file(error) }
        try requireEmpty()
        guard !isDryRun else { return }
        let lock = try hold(place)
        defer { lock?.unlock() }
        do throws(FileError) { try clear() } catch { throw .file(error) }
    }

    /// Removes what was written beside the home.
    func clear() throws(FileError) { try fileSystem.removeTree(place.path) }

    /// - Throws: ``LogError/Code/occupied`` when there is an event, or something that is no part of a ledger.
    private func requireEmpty() throws(LedgerError) {
        do throws(LogError) {
            var reader = try LogReader(home: home.path, fileSystem: fileSystem)
            while try reader.next() != nil {}
            if reader.end > .zero { throw LogError.occupied(home.path, "\(reader.end) events") }
        } catch {
            guard error.code == .absent else { throw .log(error) }
        }
        do throws(FileError) {
            guard try fileSystem.status(of: home.path) != nil else { return }
            let shared = [home.socket, home.heir].compactMap { $0.lastComponent?.string }
            let own = LogHome(home.path).names.union(kept).union(shared)
            let others = try fileSystem.list(home.path).filter { !own.contains($0) }
            for name in others {
                let isEmpty = try isEmptyDirectory(home.path.appending(name))
                guard isEmpty else { throw FileError("rename", home.path.appending(name), .directoryNotEmpty) }
            }
        } catch {
            guard error.errno == .directoryNotEmpty else { throw .file(error) }
            throw .log(.occupied(home.path, "'\(error.path.lastComponent?.string ?? "")'"))
        }
    }

    private func isEmptyDirectory(_ path: FilePath) throws(FileError) -> Bool {
        guard try fileSystem.status(of: path)?.kind == .directory else { return false }
        return try fileSystem.list(path).isEmpty
    }

    /// The lock of a home that is there.
    private func hold(_ home: LedgerHome) throws(LedgerError) -> (any FileLock)? {
        do throws(FileError) {
            guard try fileSystem.status(of: home.path) != nil else { return nil }
            if let lock = try fileSystem.lock(LogHome(home.path).lock) { return lock }
        } catch { throw .file(error) }
        throw .log(.held(home.path))
    }

    /// Puts the new ledger in the home's place.
    func install() throws(LedgerError) {
        let lock = try hold(home)
        defer { lock?.unlock() }
        // Someone may have used it since it was looked at.
        try requireEmpty()
        do throws(FileError) {
            let above = home.path.removingLastComponent()
            if try fileSystem.status(of: home.path) != nil {
                for name in kept { try keep(name) }
                try fileSystem.removeTree(aside)
                try fileSystem.rename(home.path, to: aside, replacing: false)
            }
            try fileSystem.rename(place.path, to: home.path, replacing: false)
            try fileSystem.synchronizeDirectory(above.isEmpty ? "." : above)
            try fileSystem.removeTree(aside)
        } catch { throw .file(error) }
    }

    private func keep(_ name: String) throws(FileError) {
        let source = home.path.appending(name)
        guard let status = try fileSystem.status(of: source),
            let bytes = try fileSystem.contents(of: source, bytesMax: Self.keptBytesMax)
        else { return }
        try fileSystem.replaceContents(
            of: place.path.appending(name), with: bytes, permissions: status.permissions)
    }
}

extension LogError {
    fileprivate static func occupied(_ home: FilePath, _ what: String) -> LogError {
        LogError(
            .occupied, "the home '\(home)' is not empty: it holds \(what)",
            next: "import into an empty home: --home DIR; nothing was changed")
    }
}
