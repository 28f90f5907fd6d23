import LedgerModel
package import LedgerSystem
import SystemPackage

/// One of the places where a finished segment stands: the log, or the archive.
package struct SegmentCopy: Sendable {
    /// What the manifest says of the segment.
    package let entry: Manifest.Entry
    /// Whether it is the one in the log.
    package let isInLog: Bool
    let path: FilePath

    /// Where it is written anew, beside it.
    var temporary: FilePath { FilePath(path.string + LogHome.newSuffix) }
}

extension Compaction {
    /// All the places where finished segments stand, in the order of the log.
    /// - Throws: ``LogError``: `.io`.
    package func copies() throws(LogError) -> [SegmentCopy] {
        try disk("look for segments") { () throws(FileError) in
            var copies: [SegmentCopy] = []
            for entry in manifest.segments where entry.state != .active {
                if entry.state == .sealed { copies.append(inLog(entry)) }
                for path in try home.archivedCopies(entry.first, fileSystem) {
                    copies.append(SegmentCopy(entry: entry, isInLog: false, path: path))
                }
            }
            return copies
        }
    }

    /// The place of a segment in the log.
    package func inLog(_ entry: Manifest.Entry) -> SegmentCopy {
        SegmentCopy(entry: entry, isInLog: true, path: home.segment(entry.first))
    }

    /// How many segments were archived, and have no copy at hand.
    package func awayCount(_ copies: [SegmentCopy]) -> Int {
        let here = Set(copies.map(\.entry.first))
        return manifest.segments.count { $0.state == .archived && !here.contains($0.first) }
    }

    /// Writes a segment anew without the content of the records that `hides` names, and reads it back root by root. In
    /// the archive it takes its place at once; in the log when ``WriteAheadLog/finish(_:snapshot:)`` lets it. Blocks;
    /// the log may be written to meanwhile: a finished segment does not change.
    /// - Returns: how many records were hidden; 0, and nothing done, when there was none, and when the tree that the
    ///   segment begins with is not known.
    /// - Throws: ``LogError``: `.full`, `.corrupted`, `.tampered`, `.io`; nothing was changed then.
    package func thin(
        _ copy: SegmentCopy, as reason: HiddenRecords.Reason, hiding hides: (StoredRecord) -> Bool
    ) throws(LogError) -> UInt64 {
        try held.check(fileSystem)
        let segment = try openCopy(copy.entry, copy.path)
        defer { segment.file.close() }
        let hidden = try SegmentRewrite.replacement(
            of: segment, copy.entry, try start(of: copy.entry), at: copy.temporary, fileSystem, as: reason,
            hiding: hides, reopen: openCopy)
        guard hidden > 0, !copy.isInLog else { return hidden }
        try held.check(fileSystem)
        try disk("change a segment in the archive") { () throws(FileError) in
            try fileSystem.rename(copy.temporary, to: copy.path, replacing: true)
            try fileSystem.synchronizeDirectory(home.archive)
        }
        return hidden
    }

    /// Hands over the records of a segment that still have their content. Blocks.
    /// - Throws: ``LogError``: `.corrupted`, `.missing`, `.io`.
    package func read(
        _ copy: SegmentCopy, _ progress: WorkProgress? = nil, _ body: (StoredRecord) -> Void
    ) throws(LogError) {
        let segment = try openCopy(copy.entry, copy.path)
        defer { segment.file.close() }
        try segment.forEachBatch { batch in
            for record in batch.records where record.hidden == nil { body(record) }
            progress?.advance(UInt64(batch.length))
        }
    }

    /// Hands over the records behind the finished segments that still have their content. Blocks.
    /// - Throws: ``LogError``, as ``LogReader/next()`` does.
    package func readUnfinished(_ body: (StoredRecord) -> Void) throws(LogError) {
        let last = manifest.segments.last { $0.state != .active }?.last ?? .zero
        var reader = try LogReader(home: home.path, fileSystem: fileSystem, after: last)
        while let batch = try reader.next() {
            for record in batch.records where record.hidden == nil { body(record) }
        }
    }

    /// The bytes of a segment, unpacked.
    package func plainBytes(of copy: SegmentCopy) throws(LogError) -> UInt64 {
        let segment = try openCopy(copy.entry, copy.path)
        defer { segment.file.close() }
        return try disk("look at a segment") { () throws(FileError) in try segment.file.status().length }
    }

    /// How many records of a segment `isWanted` names, and the bytes of their payloads. Blocks.
    /// - Throws: ``LogError``: `.corrupted`, `.missing`, `.io`.
    package func count(
        _ copy: SegmentCopy, _ progress: WorkProgress? = nil, where isWanted: (StoredRecord) -> Bool
    ) throws(LogError) -> (records: UInt64, bytes: UInt64) {
        var count: (records: UInt64, bytes: UInt64) = (0, 0)
        try read(copy, progress) { record in
            guard isWanted(record) else { return }
            count.records += 1
            count.bytes += UInt64(record.payload.count)
        }
        return count
    }

    /// Removes what was made beside finished segments and does not take a place any more: a full disk would stay full.
    /// One that can not be removed goes with the next opening.
    package func discard() {
        do {
            try held.check(fileSystem)
            for entry in manifest.segments where entry.state != .active {
                let (log, packed) = (home.segment(entry.first), home.archived(entry.first))
                let plain = home.archive.appending(SegmentName.name(entry.first))
                for path in [log, packed, plain].map({ FilePath($0.string + LogHome.newSuffix) })
                where try fileSystem.status(of: path) != nil {
                    try fileSystem.unlink(path)
                }
            }
        } catch {
            // Whoever calls has an error to tell already, and it is the first that says why.
        }
    }

    /// Puts what ``thin(_:as:hiding:)`` wrote in the places of the old ones. Their directory is still to be synced.
    func exchange() throws(FileError) {
        for copy in thinned.map(inLog) where try fileSystem.status(of: copy.temporary) != nil {
            try fileSystem.rename(copy.temporary, to: copy.path, replacing: true)
        }
    }
}
