package import LedgerModel
import LedgerSystem
import SystemPackage

/// Taking finished segments out of the log.
enum Compaction {
    /// Moves a segment to the archive or unlinks it, as its entry says. A file that is gone was taken before.
    static func take(_ entry: Manifest.Entry, _ fileSystem: any FileSystem, _ home: LogHome) throws(FileError) {
        let path = home.segment(entry.first)
        guard let status = try fileSystem.status(of: path) else { return }
        switch entry.state {
        case .active, .sealed: preconditionFailure("only what the manifest has taken out is moved")
        case .archived:
            let target = home.archive.appending(SegmentName.name(entry.first))
            let there = try fileSystem.status(of: target)
            // A power cut may leave both names of one file, and rename(2) of a file onto itself does nothing.
            if let there, there.inode == status.inode, there.device == status.device {
                try fileSystem.unlink(path)
            } else {
                try fileSystem.rename(path, to: target, replacing: true)
            }
        case .dropped: try fileSystem.unlink(path)
        }
    }
}

extension WriteAheadLog {
    /// Takes finished segments that end at or before `last` out of the log: into `archive/` on the same file system,
    /// read and checked before, or unlinked. Their seals stay in the manifest for ever, so the log goes on to
    /// reproduce every root. Call it after a snapshot at `last` or later was saved and `compacted` is durable.
    ///
    /// May be cut short at any step: ``open(at:fileSystem:configuration:random:)`` does the rest. Rotate first to have
    /// the current segment taken too.
    /// - Returns: The sequences taken out: nil when no segment ends so early.
    /// - Throws: ``LogError``: `.corrupted` or `.tampered` when a segment that should be archived does not verify
    ///   (nothing is moved then), `.full`, `.io`.
    package mutating func drop(
        through last: SequenceNumber, archiving: Bool, snapshot: SequenceNumber
    ) throws(LogError) -> ClosedRange<SequenceNumber>? {
        try check()
        if segment == nil { try startSegment() }
        var next = manifest.raised()
        var taken: [Manifest.Entry] = []
        for (place, entry) in manifest.segments.enumerated() where entry.state == .sealed && entry.last <= last {
            let segment = try SegmentFile.open(fileSystem, home, manifest, at: place)
            defer { segment.file.close() }
            let seal = try segment.seal(matching: entry)
            if archiving { try verify(segment) }
            next.segments[place].state = archiving ? .archived : .dropped
            next.base = seal.tree
            taken.append(next.segments[place])
        }
        guard let first = taken.first, let end = taken.last else { return nil }
        next.snapshot = snapshot
        let length = try measure(taken)
        try roomy("have the manifest let segments go") { (log) throws(FileError) in
            try next.store(log.fileSystem, log.home)
        }
        manifest = next
        sealedBytes -= length
        try fatal("take segments out of the log") { (log) throws(FileError) in
            for entry in taken { try Compaction.take(entry, log.fileSystem, log.home) }
            try log.fileSystem.synchronizeDirectory(log.home.archive)
            try log.fileSystem.synchronizeDirectory(log.home.log)
        }
        return first.first...end.last
    }

    /// Reads a finished segment whole: what is archived must be worth keeping.
    private func verify(_ segment: SegmentFile) throws(LogError) {
        var cursor = SegmentCursor(segment.header, segment.file)
        while true {
            switch try disk("read a segment", { () throws(FileError) in try cursor.step() }) {
            case .batch: continue
            case .seal: return
            case .end:
                throw .corrupted(segment.name, at: cursor.offset, nil, last: cursor.next.previous, laterAt: nil)
            case .fault(let fault):
                throw .corrupted(segment.name, at: cursor.offset, fault, last: cursor.next.previous, laterAt: nil)
            }
        }
    }

    func measure(_ entries: [Manifest.Entry]) throws(LogError) -> UInt64 {
        try disk("look at a segment") { () throws(FileError) in
            var total: UInt64 = 0
            for entry in entries { total += try fileSystem.status(of: home.segment(entry.first))?.length ?? 0 }
            return total
        }
    }
}
