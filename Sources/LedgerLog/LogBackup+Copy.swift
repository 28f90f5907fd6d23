import LedgerModel
import LedgerSystem
import SystemPackage

extension LogBackup {
    /// Copies all that a manifest counts, then has the copy's manifest say so.
    mutating func copy(_ manifest: Manifest) throws(LogError) {
        // Told before the end is looked for, so that a log which lost its end is seen, and not copied as whole.
        var reader = try LogReader(
            home: source.path, fileSystem: fileSystem, after: manifest.segments.last?.first.previous ?? .zero)
        while try reader.next() != nil {}
        for entry in manifest.segments where entry.state == .sealed { try copySealed(entry, manifest) }
        try copyActive(manifest)
        try copyArchive(manifest)
        try copyWhole(source.trees, to: target.trees, isOptional: true)
        try copySnapshots(manifest)
        for name in companions {
            try copyWhole(source.path.appending(name), to: target.path.appending(name), isOptional: true)
        }
        try publish(manifest)
        try removeOthers(manifest)
    }

    private mutating func copySealed(_ entry: Manifest.Entry, _ manifest: Manifest) throws(LogError) {
        let name = SegmentName.name(entry.first)
        guard let place = manifest.segments.firstIndex(of: entry) else { return }
        if !isFresh, try isKept(entry, place, manifest) {
            report.filesKept += 1
        } else {
            try stage(source.log.appending(name), to: target.log.appending(name))
        }
    }

    /// Whether the copy has this finished segment already, by its seal, with no more content than the ledger has: what
    /// was thinned or redacted since has another length and other checksums.
    private func isKept(_ entry: Manifest.Entry, _ place: Int, _ manifest: Manifest) throws(LogError) -> Bool {
        let original = try SegmentFile.open(fileSystem, source, manifest, at: place)
        defer { original.file.close() }
        let seal = try original.seal(matching: entry)
        do throws(LogError) {
            let segment = try SegmentFile.open(fileSystem, target, manifest, at: place)
            defer { segment.file.close() }
            return try segment.seal(matching: entry) == seal
        } catch {
            guard [.missing, .corrupted, .tampered, .newerFormat].contains(error.code) else { throw error }
            return false
        }
    }

    /// The segment that is appended to, up to the last batch that is whole.
    private mutating func copyActive(_ manifest: Manifest) throws(LogError) {
        let place = manifest.segments.count - 1
        let segment = try SegmentFile.open(fileSystem, source, manifest, at: place)
        defer { segment.file.close() }
        var cursor = SegmentCursor(segment.header, segment.file)
        report.root = place > 0 ? manifest.segments[place - 1].root : MerkleTree.emptyRoot
        report.last = cursor.next.previous
        walk: while true {
            switch try disk("read a segment", { () throws(FileError) in try cursor.step() }) {
            case .batch(let batch): (report.last, report.root) = (batch.last, batch.root)
            case .seal, .end, .fault: break walk
            }
        }
        let name = SegmentName.name(manifest.segments[place].first)
        try stage(source.log.appending(name), to: target.log.appending(name), upTo: cursor.offset)
    }

    /// Whatever stands in the archive, compressed or not. What differs from a copy that is there is read first: a good
    /// copy is not given up for a damaged file.
    private mutating func copyArchive(_ manifest: Manifest) throws(LogError) {
        for name in try names(in: source.archive) where !name.hasSuffix(LogHome.newSuffix) {
            let path = source.archive.appending(name)
            let status = try disk("look at the archive") { () throws(FileError) in try fileSystem.status(of: path) }
            guard status?.kind == .regular else { continue }
            try checkArchived(name, manifest)
            try copyWhole(path, to: target.archive.appending(name), isOptional: true)
        }
    }

    private func checkArchived(_ name: String, _ manifest: Manifest) throws(LogError) {
        let isThere = try disk("look at the backup") { () throws(FileError) in
            guard try fileSystem.status(of: target.archive.appending(name)) != nil else { return false }
            return try !fileSystem.isSame(source.archive.appending(name), target.archive.appending(name))
        }
        guard isThere, let place = manifest.place(ofFile: name), manifest.segments[place].state != .active else {
            return
        }
        let segment = try SegmentFile.open(fileSystem, source, manifest, at: place, asWritten: true)
        defer { segment.file.close() }
        try segment.check(manifest.segments[place], from: nil)
    }

    /// The snapshots of what is copied; without the one that stands for what left the log, the copy can not be opened.
    private mutating func copySnapshots(_ manifest: Manifest) throws(LogError) {
        let store = SnapshotStore(home: source.path, fileSystem: fileSystem, identity: manifest.identity)
        let copies = SnapshotStore(home: target.path, fileSystem: fileSystem, identity: manifest.identity)
        for name in try names(in: source.snapshots) {
            guard let sequence = SequenceName.sequence(name, "snap"), sequence <= report.last else { continue }
            // A whole copy is not given up for a damaged one, and a damaged one is not copied.
            guard try store.load(sequence) != nil else {
                let isThere = try copies.load(sequence) != nil
                if isThere { report.filesKept += 1 }
                if isThere || sequence != manifest.snapshot { continue }
                throw .missingSnapshot(sequence, isThere: true)
            }
            try copyWhole(
                source.snapshot(sequence), to: target.snapshot(sequence), isOptional: sequence != manifest.snapshot)
        }
    }

    private func names(in directory: FilePath) throws(LogError) -> [String] {
        try disk("list what is to be copied") { () throws(FileError) in
            try fileSystem.status(of: directory) == nil ? [] : fileSystem.list(directory)
        }
    }

    /// A file that the copy may have already. One that is gone since it was listed is passed over when it `isOptional`.
    private mutating func copyWhole(_ from: FilePath, to: FilePath, isOptional: Bool) throws(LogError) {
        let isThere = try disk("look at what is to be copied") { () throws(FileError) in
            try fileSystem.status(of: from) != nil
        }
        guard isThere else {
            if isOptional { return }
            throw .missing(from)
        }
        if try disk("compare files", { () throws(FileError) in try fileSystem.isSame(from, to) }) {
            report.filesKept += 1
        } else {
            do throws(LogError) { try stage(from, to: to) } catch {
                // So is a link that leads nowhere.
                guard isOptional, error.code == .missing else { throw error }
            }
        }
    }

    /// Copies a file, durably, under a name that does not count yet. One that a compaction took in between is missing.
    private mutating func stage(_ from: FilePath, to: FilePath, upTo end: UInt64? = nil) throws(LogError) {
        let temporary = FilePath(to.string + LogHome.newSuffix)
        let copied = try disk("copy '\(from)'", counted: from) { () throws(FileError) in
            if try fileSystem.status(of: temporary) != nil { try fileSystem.unlink(temporary) }
            return try fileSystem.copy(from, to: temporary, upTo: end, permissions: LogHome.fileMode)
        }
        if let end, copied != end { throw .missing(from) }
        staged.append((temporary, to))
        report.filesCopied += 1
        report.bytesCopied += copied
    }

    /// Gives the files their names, then has the manifest count them, then the head vouch for them: each durable before
    /// the next. Until all of it is there a mark says that this is no ledger.
    private func publish(_ manifest: Manifest) throws(LogError) {
        try disk("finish the backup") { () throws(FileError) in
            try fileSystem.open(target.unfinished, .createOrUpdate(permissions: LogHome.fileMode)).close()
            try fileSystem.synchronizeDirectory(target.path)
            for file in staged { try fileSystem.rename(file.from, to: file.to, replacing: true) }
            for directory in [target.log, target.archive, target.snapshots, target.path] {
                try fileSystem.synchronizeDirectory(directory)
            }
            try manifest.store(fileSystem, target)
            try fileSystem.synchronizeDirectory(target.path)
            for generation: UInt64 in 0..<2 {
                try Head(generation: generation, size: report.last.rawValue, root: report.root)
                    .store(fileSystem, target, manifest.identity)
            }
            try fileSystem.synchronizeDirectory(target.path)
            try fileSystem.unlink(target.unfinished)
            try fileSystem.synchronizeDirectory(target.path)
        }
    }

    /// Removes what an earlier copy has and the ledger has no longer. What it archived is kept: it may have been moved
    /// elsewhere, or lost.
    private func removeOthers(_ manifest: Manifest) throws(LogError) {
        let segments = Set(manifest.live.map { SegmentName.name($0.first) })
        let archived = try names(in: target.archive).filter { name in
            manifest.place(ofFile: name).map { manifest.segments[$0].state == .archived } ?? false
        }
        let kept = [
            (target.log, segments), (target.archive, Set(try names(in: source.archive) + archived)),
            // The one that the copy's own manifest needs may be gone from the ledger since.
            (
                target.snapshots,
                Set(try names(in: source.snapshots) + [SequenceName.name(manifest.snapshot, "snap")])
            ),
        ]
        for (directory, names) in kept {
            for name in try self.names(in: directory) where !names.contains(name) {
                try disk("remove what the ledger has no longer") { () throws(FileError) in
                    try fileSystem.unlink(directory.appending(name))
                }
            }
            try disk("finish the backup") { () throws(FileError) in try fileSystem.synchronizeDirectory(directory) }
        }
    }
}

extension Manifest {
    /// The place of the segment that a file of the archive holds; nil when it holds none of these.
    fileprivate func place(ofFile name: String) -> Int? {
        SegmentName.archivedFirst(name).flatMap { first in segments.firstIndex { $0.first == first } }
    }
}
