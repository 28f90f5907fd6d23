import LedgerLog
import LedgerModel
import LedgerSystem
import SystemPackage

/// The home that an import fills, and the places beside it on the way there.
///
/// Nothing is removed but what an import made, which its mark tells, and homes without an event: what stands in the way
/// otherwise is named.
struct ImportTarget: Sendable {
    /// The home, without links: where a link leads, the new ledger takes the old one's place.
    let home: LedgerHome
    /// Where the new ledger is written.
    let place: LedgerHome
    /// Where an empty ledger that stands in the home is while the new one takes its place.
    private let aside: FilePath
    private let fileSystem: any FileSystem

    /// The file that says of a directory that an import made it.
    private static let mark = "importing"
    /// What of a home the user put there, which the new ledger keeps.
    private var kept: [String] { home.companions }
    /// The longest of these, in bytes.
    private static let keptBytesMax = 256 << 20

    init(home: LedgerHome, fileSystem: any FileSystem) throws(LedgerError) {
        self.fileSystem = fileSystem
        do throws(FileError) {
            let (standing, missing) = try fileSystem.weaklyResolved(home.path)
            self.home = LedgerHome(standing.appending(missing))
        } catch { throw .file(error) }
        place = LedgerHome(Self.beside(self.home.path, "importing"))
        aside = Self.beside(self.home.path, "replaced")
    }

    private static func beside(_ path: FilePath, _ suffix: String) -> FilePath {
        path.removingLastComponent().appending((path.lastComponent?.string ?? "ledger") + "." + suffix)
    }

    /// Finds out whether the home is empty and can be exchanged, removes what an import that was cut short left beside
    /// it, and makes the place for the new one.
    func prepare(isDryRun: Bool) throws(LedgerError) {
        // Cut between its two renames, an import leaves no home, and the empty one beside it.
        if !isDryRun, try !isThere(home.path), try isThere(aside), try content(of: aside) == nil {
            try disk { () throws(FileError) in try fileSystem.rename(aside, to: home.path, replacing: false) }
        }
        try requireEmpty(home.path)
        try requireExchangeable()
        guard !isDryRun else { return }
        try requireEmpty(aside)
        try requireOwn()
        let lock = try hold(place)
        defer { lock?.unlock() }
        do throws(FileError) {
            try clear()
            try fileSystem.createDirectory(place.path, permissions: 0o700)
            try fileSystem.open(place.path.appending(Self.mark), .create(permissions: 0o600)).close()
            try fileSystem.synchronizeDirectory(place.path)
        } catch {
            guard error.errno == .permissionDenied || error.errno == .readOnlyFileSystem else { throw .file(error) }
            throw .log(.fixed(home.path, because: "nothing can be made in the directory above it", error))
        }
    }

    /// Removes what was written beside the home; the mark goes last.
    func clear() throws(FileError) {
        guard try fileSystem.status(of: place.path) != nil else { return }
        for name in try fileSystem.list(place.path) where name != Self.mark {
            try fileSystem.removeTree(place.path.appending(name))
        }
        try fileSystem.removeTree(place.path)
    }

    /// Puts the new ledger in the home's place.
    func install() throws(LedgerError) {
        let lock = try hold(home)
        defer { lock?.unlock() }
        // Someone may have used it since it was looked at.
        try requireEmpty(home.path)
        try requireEmpty(aside)
        try disk { () throws(FileError) in
            let above = home.path.removingLastComponent()
            if try fileSystem.status(of: home.path) != nil {
                for name in kept { try keep(name) }
                try fileSystem.removeTree(aside)
                try fileSystem.rename(home.path, to: aside, replacing: false)
            }
            try fileSystem.rename(place.path, to: home.path, replacing: false)
            try fileSystem.synchronizeDirectory(above.isEmpty ? "." : above)
            try fileSystem.unlink(home.path.appending(Self.mark))
            try fileSystem.removeTree(aside)
        }
    }

    private func keep(_ name: String) throws(FileError) {
        let source = home.path.appending(name)
        guard let status = try fileSystem.status(of: source),
            let bytes = try fileSystem.contents(of: source, bytesMax: Self.keptBytesMax)
        else { return }
        try fileSystem.replaceContents(
            of: place.path.appending(name), with: bytes, permissions: status.permissions)
    }

    /// The lock of a home that is there.
    private func hold(_ home: LedgerHome) throws(LedgerError) -> (any FileLock)? {
        guard try isThere(home.path) else { return nil }
        if let lock = try disk({ () throws(FileError) in try fileSystem.lock(LogHome(home.path).lock) }) { return lock }
        throw .log(.held(home.path))
    }
}

extension ImportTarget {
    private func disk<Value>(_ body: () throws(FileError) -> Value) throws(LedgerError) -> Value {
        do throws(FileError) { return try body() } catch { throw .file(error) }
    }

    private func isThere(_ path: FilePath) throws(LedgerError) -> Bool {
        try disk { () throws(FileError) in try fileSystem.status(of: path) != nil }
    }

    /// - Throws: ``LogError/Code/occupied`` when there is an event, or something that is no part of a ledger.
    private func requireEmpty(_ path: FilePath) throws(LedgerError) {
        if let what = try content(of: path) { throw .log(.occupied(path, what)) }
    }

    /// - Throws: ``LogError/Code/occupied`` where a file system is mounted on the home: no other directory can take its
    ///   place. `rename(2)`, EBUSY.
    private func requireExchangeable() throws(LedgerError) {
        let (own, above) = try disk { () throws(FileError) in
            (try fileSystem.status(of: home.path), try fileSystem.status(of: home.path.removingLastComponent()))
        }
        guard let own, let above, own.device != above.device else { return }
        throw .log(.fixed(home.path, because: "a file system is mounted there"))
    }

    /// - Throws: ``LogError/Code/occupied`` where something that no import made stands where the new ledger is written.
    private func requireOwn() throws(LedgerError) {
        guard try isThere(place.path) else { return }
        let names = try disk { () throws(FileError) in try fileSystem.list(place.path) }
        // One that is empty was cut short before it had its mark.
        guard names.isEmpty || names.contains(Self.mark) else {
            throw .log(.occupied(place.path, "'\(names[0])', and no import made it"))
        }
    }

    /// What a home holds that an exchange would lose; nil when that is nothing, or there is no home.
    private func content(of path: FilePath) throws(LedgerError) -> String? {
        guard try isThere(path) else { return nil }
        do throws(LogError) {
            var reader = try LogReader(home: path, fileSystem: fileSystem)
            while try reader.next() != nil {}
            if reader.end > .zero { return "\(reader.end) events" }
        } catch {
            guard error.code == .absent else { throw .log(error) }
        }
        return try disk { () throws(FileError) in
            let log = LogHome(path)
            if try log.holdsRecords(fileSystem) { return "records" }
            let shared = [home.socket, home.heir].compactMap { $0.lastComponent?.string }
            let own = log.names.union(kept).union(shared)
            for name in try fileSystem.list(path) {
                let place = path.appending(name)
                // What a repair kept, and what was deleted.
                let isKeeping = place == log.quarantine || name == home.trash.lastComponent?.string
                if isKeeping, try fileSystem.list(place).isEmpty { continue }
                if isKeeping || !own.contains(name) { return "'\(name)'" }
            }
            guard try fileSystem.status(of: log.log) != nil else { return nil }
            let other = try fileSystem.list(log.log).first { SegmentName.first($0) == nil && !$0.hasSuffix(".new") }
            return other.map { "'log/\($0)'" }
        }
    }
}

extension LogError {
    fileprivate static func occupied(_ home: FilePath, _ what: String) -> LogError {
        LogError(
            .occupied, "'\(home)' is not empty: it holds \(what)",
            next: "import into an empty home: --home DIR; nothing was changed")
    }

    /// A home that can not be exchanged for another.
    fileprivate static func fixed(_ home: FilePath, because cause: String, _ error: FileError? = nil) -> LogError {
        LogError(
            .occupied, "'\(home)' can not be exchanged for a new home: \(cause)", cause: error,
            detail: "an import is made beside the home and takes its place in one step",
            next: "import into a directory in it: --home \(home)/ledger; nothing was changed")
    }
}
