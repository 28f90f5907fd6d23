package import LedgerModel
package import LedgerSystem
package import SystemPackage

/// Copies a ledger, beside whoever writes it, into a directory that opens as a home. Takes no lock on the ledger and
/// changes nothing of it.
///
/// What counts in the copy is what its manifest says, and that is written when all that it counts is there and durable:
/// a copy that was cut short is the one before it, or is seen to be none. Files that are there already are kept, so the
/// next copy into the same directory costs what is new.
package struct LogBackup: Sendable {
    /// What a backup came to.
    package struct Report: Hashable, Sendable {
        /// The last record of the copy.
        package internal(set) var last = SequenceNumber.zero
        /// The root there.
        package internal(set) var root = MerkleTree.emptyRoot
        /// How many files were copied.
        package internal(set) var filesCopied = 0
        /// Their bytes.
        package internal(set) var bytesCopied: UInt64 = 0
        /// How many files were there already.
        package internal(set) var filesKept = 0
    }

    let fileSystem: any FileSystem
    let source: LogHome
    let target: LogHome
    /// Files of the home that go along, by their names in it: secrets, configuration.
    let companions: [String]
    /// Whether finished segments that are there already are copied again, whatever their seals say.
    let isFresh: Bool
    var report = Report()
    /// What takes its name when everything is there: where it stands, and the name.
    var staged: [(from: FilePath, to: FilePath)] = []

    /// How often compactions may let segments go while they are copied, before that is an error.
    static let attemptsMax = 100

    /// A backup of the ledger at `home` into the directory `target`, which is made when it is missing.
    package init(
        home: FilePath, target: FilePath, companions: [String], isFresh: Bool = false, fileSystem: any FileSystem
    ) {
        self.isFresh = isFresh
        source = LogHome(home)
        self.target = LogHome(target)
        self.companions = companions
        self.fileSystem = fileSystem
    }

    /// Copies. The copy is not verified: that is for whoever looks at it.
    /// - Parameter look: what is done with the copy before another backup may change it.
    /// - Throws: ``LogError``: what reading the ledger finds; `.occupied` when the directory holds something else, or
    ///   a copy that was written to; `.locked` when it is in use; `.full`, `.io`; what `look` throws.
    package mutating func run<Answer>(
        _ look: (Report) throws(LogError) -> Answer
    ) throws(LogError) -> Answer {
        let lock = try prepare()
        defer { lock.unlock() }
        // Another backup may have ended since it was looked first.
        try requireAncestor(of: LogReader.wholeManifest(source, fileSystem))
        var attempts = 0
        while true {
            let manifest = try LogReader.wholeManifest(source, fileSystem)
            do throws(LogError) {
                try copy(manifest)
                break
            } catch {
                attempts += 1
                guard error.code == .missing, attempts < Self.attemptsMax,
                    try manifest.later(fileSystem, source) != nil
                else { throw error }
                (report, staged) = (Report(), [])
            }
        }
        return try look(report)
    }

    /// Makes the directories, takes their lock, and sees that they hold a copy of this ledger, or nothing.
    private func prepare() throws(LogError) -> any FileLock {
        let manifest = try LogReader.wholeManifest(source, fileSystem)
        try requireAncestor(of: manifest)
        let lock = try disk("make the backup's directories") { () throws(FileError) in
            try fileSystem.createDurableDirectory(target.path, permissions: LogHome.directoryMode)
            try target.makeDirectories(fileSystem)
            return try fileSystem.lock(target.lock)
        }
        guard let lock else { throw .held(target.path) }
        return lock
    }

    /// - Throws: ``LogError`` with `.occupied` unless this ledger goes on where the copy ends.
    private func requireAncestor(of manifest: Manifest) throws(LogError) {
        let old: Manifest
        let head: Head
        do throws(LogError) {
            old = try Manifest.load(fileSystem, target, takingUnfinished: true).manifest
            // Told before its head is looked at, which another ledger's is damage to.
            guard old.identity == manifest.identity else { throw .occupied(target.path, "another ledger") }
            head = try Head.load(fileSystem, target, manifest.identity).head
        } catch {
            guard [.absent, .corrupted, .missing].contains(error.code) else { throw error }
            // None, or one that was cut short: it is made anew.
            return try requireNothingElse()
        }
        guard try agrees(with: TreeHead(size: head.size, root: head.root), old, manifest) else {
            throw .occupied(target.path, "a copy of this ledger that was written to since")
        }
    }

    /// - Throws: ``LogError`` with `.occupied` when something is there that no backup makes.
    private func requireNothingElse() throws(LogError) {
        let names = try disk("look at the backup") { () throws(FileError) in
            try fileSystem.status(of: target.path) == nil ? [] : fileSystem.list(target.path)
        }
        let known = target.names.union(companions)
        if let other = names.first(where: { !known.union(known.map { $0 + LogHome.newSuffix }).contains($0) }) {
            throw .occupied(target.path, "'\(other)', which is no part of a backup")
        }
    }

    /// Whether the ledger had the root of an old copy when it was as long.
    private func agrees(with head: TreeHead, _ old: Manifest, _ manifest: Manifest) throws(LogError) -> Bool {
        if head.size == 0 { return true }
        let size = SequenceNumber(head.size)
        if let entry = manifest.segments.first(where: { $0.state != .active && $0.last == size }) {
            return entry.root == head.root
        }
        var prover = try LogProver(home: source.path, fileSystem: fileSystem)
        let length = try prover.head().size
        guard length >= head.size else { throw .longer(target.path, head.size, than: source.path, length) }
        do throws(LogError) {
            return try prover.root(at: head.size) == head.root
        } catch {
            guard [.dropped, .missing].contains(error.code) else { throw error }
            // Compacted or thinned since: what of it ends in between can only be told by the segments before.
            let known = zip(old.segments, manifest.segments).filter { one, _ in one.state != .active }
            guard !known.isEmpty else { throw .incomparable(target.path, head.size) }
            return known.allSatisfy { one, other in one.last == other.last && one.root == other.root }
        }
    }
}

extension LogError {
    static func longer(
        _ copy: FilePath, _ size: UInt64, than home: FilePath, _ length: UInt64
    ) -> LogError {
        LogError(
            .occupied,
            "'\(copy)' holds a copy of this ledger up to sequence \(size.grouped), and '\(home)' goes to "
                + length.grouped,
            detail: "the ledger lost its end, or the copy was written to since; nothing in either was changed",
            next: "'ledger verify' with --home tells of each which it is; to go on without, back up elsewhere")
    }

    static func incomparable(_ copy: FilePath, _ size: UInt64) -> LogError {
        LogError(
            .occupied,
            "'\(copy)' holds a copy of this ledger up to sequence \(size.grouped), and what the ledger held there was "
                + "compacted away",
            detail: "nobody can tell whether the copy holds something else; nothing in it was changed",
            next: "back up to another directory; 'ledger list' with --home shows what the copy holds")
    }

    static func occupied(_ directory: FilePath, _ what: String) -> LogError {
        LogError(
            .occupied, "'\(directory)' holds \(what)", next: "give another directory; nothing in it was changed")
    }
}
