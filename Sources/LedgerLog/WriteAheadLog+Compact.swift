package import LedgerModel
import LedgerSystem
import SystemPackage

extension WriteAheadLog {
    /// What a compaction would take out: the finished segments that end at or before `last`, and hold nothing recorded
    /// at `cutoff` or later where there is one. Reads the seals.
    package func compaction(
        through last: SequenceNumber, before cutoff: Timestamp?, archiving: Bool
    ) throws(LogError) -> Compaction {
        try requireOpen()
        var compaction = Compaction(
            archives: archiving, fileSystem: fileSystem, home: home, held: lock.identity, manifest: manifest)
        for (place, entry) in manifest.segments.enumerated() where entry.state == .sealed {
            guard entry.last <= last else { break }
            if let cutoff {
                let segment = try SegmentFile.open(fileSystem, home, manifest, at: place)
                defer { segment.file.close() }
                guard try segment.seal(matching: entry).time < cutoff else { break }
            }
            compaction.taken.append(entry)
        }
        return compaction
    }

    /// Does what a compaction prepared: the manifest lets segments go, and then they are unlinked, and those that were
    /// thinned take the places of the old ones. Their seals stay in the manifest for ever, so the log goes on to
    /// reproduce every root.
    ///
    /// Call it after all of ``Compaction/archived`` was copied and ``Compaction/dropped`` checked, a snapshot at
    /// `snapshot` was saved, and `compacted` is durable. May be cut short at any step:
    /// ``open(at:fileSystem:configuration:random:whenHeld:)`` does the rest.
    /// - Throws: ``LogError``: `.full` leaves the log usable; `.corrupted`, `.tampered`, `.io`.
    package mutating func finish(_ compaction: Compaction, snapshot: SequenceNumber) throws(LogError) {
        try check()
        if segment == nil { try startSegment() }
        guard !compaction.isEmpty else { return }
        var next = manifest.raised()
        next.snapshot = snapshot
        let places = compaction.taken.compactMap { taken in
            next.segments.firstIndex { $0.first == taken.first && $0.state == .sealed }
        }
        for place in places { next.segments[place].state = compaction.archives ? .archived : .dropped }
        if let last = places.last {
            let segment = try SegmentFile.open(fileSystem, home, manifest, at: last)
            defer { segment.file.close() }
            next.base = try segment.seal(matching: manifest.segments[last]).tree
            let trees = KeptTrees.collect(for: next, by: manifest, fileSystem, home)
            try roomy("keep the trees of what leaves the log") { (log) throws(FileError) in
                try trees.store(log.fileSystem, log.home)
            }
        }
        #if PLANTED_BUGS
            if PlantedBug.compactionUnlinksEarly.isOn {
                try fatal("take segments out of the log") { (log) throws(FileError) in
                    for place in places { try Compaction.take(next.segments[place], log.fileSystem, log.home) }
                    try log.fileSystem.synchronizeDirectory(log.home.log)
                }
            }
        #endif
        try roomy("have the manifest let segments go") { (log) throws(FileError) in
            try next.store(log.fileSystem, log.home)
        }
        manifest = next
        try fatal("take segments out of the log") { (log) throws(FileError) in
            for place in places { try Compaction.take(next.segments[place], log.fileSystem, log.home) }
            try compaction.exchange()
            try log.fileSystem.synchronizeDirectory(log.home.log)
        }
        sealedBytes = try manifest.sealedBytes(fileSystem, home)
    }

    /// The latest time of a record in the segment that is not finished; nil without one.
    package var unfinishedTime: Timestamp? { segment?.newestTime }

    /// The finished segments that are in the log.
    package var finished: [Manifest.Entry] { manifest.segments.filter { $0.state == .sealed } }

    /// Gives up the space that is kept for a compaction on a full disk; false when there was none to give.
    package mutating func releaseBallast() throws(LogError) -> Bool {
        try check()
        let (fileSystem, home) = (fileSystem, home)
        return try LedgerLog.disk("give up the ballast") { () throws(FileError) in
            try Ballast.release(fileSystem, home)
        }
    }
}
