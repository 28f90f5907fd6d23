package import LedgerModel
package import LedgerSystem
package import SystemPackage

/// The snapshots of a home: written beside their final name, read again before they count.
package struct SnapshotStore: Sendable {
    let fileSystem: any FileSystem
    let home: LogHome
    let identity: LedgerID
    /// The home that who writes here holds; nil for who reads, or has made sure itself.
    private let held: HomeIdentity?

    /// The snapshots of the ledger `identity` at `home`.
    package init(home: FilePath, fileSystem: any FileSystem, identity: LedgerID) {
        self.init(home: home, fileSystem: fileSystem, identity: identity, held: nil)
    }

    init(home: FilePath, fileSystem: any FileSystem, identity: LedgerID, held: HomeIdentity?) {
        self.home = LogHome(home)
        self.fileSystem = fileSystem
        self.identity = identity
        self.held = held
    }

    /// The sequences that there are snapshots of, in ascending order; whether they are whole is seen on loading.
    package func sequences() throws(LogError) -> [SequenceNumber] {
        try disk("list the snapshots") { () throws(FileError) in
            guard try fileSystem.status(of: home.snapshots) != nil else { return [] }
            return try fileSystem.list(home.snapshots).compactMap { SequenceName.sequence($0, "snap") }.sorted()
        }
    }

    /// How long the newest one is, in bytes as it stands; 0 when there is none.
    package func newestBytes() throws(LogError) -> UInt64 {
        guard let newest = try sequences().last else { return 0 }
        return try disk("look at a snapshot") { () throws(FileError) in
            try fileSystem.status(of: home.snapshot(newest))?.length ?? 0
        }
    }

    /// The snapshot at `sequence`; nil when there is none or when it is damaged.
    package func load(_ sequence: SequenceNumber) throws(LogError) -> Snapshot? {
        let bytes = try disk("read a snapshot") { () throws(FileError) in
            try fileSystem.content(of: home.snapshot(sequence), bytesMax: LogBounds.snapshotBytesMax + 4096)
        }
        guard let bytes, let snapshot = Snapshot(decoding: bytes, identity), snapshot.sequence == sequence else {
            return nil
        }
        return snapshot
    }

    /// The newest whole snapshot at or before `last` that `isUsable`; nil when there is none.
    package func load(
        atMost last: SequenceNumber, where isUsable: (Snapshot) -> Bool = { _ in true }
    ) throws(LogError) -> Snapshot? {
        for sequence in try sequences().reversed() where sequence <= last {
            if let snapshot = try load(sequence), isUsable(snapshot) { return snapshot }
        }
        return nil
    }

    /// Saves a snapshot durably (temporary file, sync, rename, sync of the directory), reads it again and compares: it
    /// may stand for the records up to its sequence then. Blocks; the log may be written to meanwhile.
    /// - Throws: ``LogError``: `.full`, `.tooLarge`, `.io`, also where the home was moved; `.corrupted` when it
    ///   does not read back as it was written. The log is untouched then.
    package func save(_ snapshot: Snapshot) throws(LogError) {
        try held?.check(fileSystem)
        guard snapshot.content.count <= LogBounds.snapshotBytesMax else {
            throw LogError(
                .tooLarge, "a snapshot of \(snapshot.content.count.grouped) bytes is beyond the limit",
                detail: "the limit is \(LogBounds.snapshotBytesMax.grouped) bytes",
                next: "nothing is lost: the log is kept instead")
        }
        #if PLANTED_BUGS
            if PlantedBug.snapshotNotSynced.isOn { return try saveUnsynced(snapshot) }
        #endif
        try disk("save a snapshot") { () throws(FileError) in
            try fileSystem.replaceContents(
                of: home.snapshot(snapshot.sequence), with: snapshot.encoded(identity), permissions: LogHome.fileMode)
        }
        guard try load(snapshot.sequence) == snapshot else {
            throw LogError(
                .corrupted, "the snapshot at \(snapshot.sequence) does not read back as it was written",
                file: SequenceName.name(snapshot.sequence, "snap"), next: "check the disk; the log is untouched")
        }
    }

    /// Removes a snapshot; nothing when it is not there.
    package func remove(_ sequence: SequenceNumber) throws(LogError) {
        try held?.check(fileSystem)
        try disk("remove a snapshot") { () throws(FileError) in
            guard try fileSystem.status(of: home.snapshot(sequence)) != nil else { return }
            try fileSystem.unlink(home.snapshot(sequence))
            try fileSystem.synchronizeDirectory(home.snapshots)
        }
    }
}

extension WriteAheadLog {
    /// The snapshots of this ledger.
    package var snapshots: SnapshotStore {
        SnapshotStore(home: home.path, fileSystem: fileSystem, identity: identity, held: lock.identity)
    }

    /// Saves a snapshot as ``SnapshotStore/save(_:)`` does, once more with the ballast's room when the disk is full.
    /// - Throws: ``LogError``; the log can be used on.
    package mutating func saveSnapshot(_ snapshot: Snapshot) throws(LogError) {
        try check()
        precondition(snapshot.sequence <= lastSequence, "a snapshot is of durable records")
        do throws(LogError) {
            try snapshots.save(snapshot)
        } catch {
            guard error.code == .full, try releaseBallast() else { throw error }
            try snapshots.save(snapshot)
        }
    }

    /// Removes all snapshots but the newest `count`, the one that stands for what compaction took out, and those that
    /// `milestones` names, which spare looks into the past the way from the beginning. Of records that were dropped
    /// there is no past to look into: of those behind them it begins with the first snapshot, which stays, too.
    package mutating func pruneSnapshots(
        keeping count: Int, milestones: Milestones = Milestones(stepEvents: .max, countMax: 0)
    ) throws(LogError) {
        try check()
        let all = try snapshots.sequences()
        let dropped = manifest.segments.last { $0.state == .dropped }?.last ?? .zero
        let shown = all.filter { $0 >= dropped }
        var kept = Set(milestones.chosen(from: shown) + [manifest.snapshot])
        if dropped > .zero, let first = shown.first { kept.insert(first) }
        let old = all.dropLast(count).filter { !kept.contains($0) }
        guard !old.isEmpty else { return }
        try disk("remove old snapshots") { () throws(FileError) in
            for sequence in old { try fileSystem.unlink(home.snapshot(sequence)) }
            try fileSystem.synchronizeDirectory(home.snapshots)
        }
    }
}
