import LedgerModel
import LedgerSystem
import SystemPackage

extension LogRepair {
    /// What a disk that fails refuses at least, in bytes.
    private static let sectorBytes = 4096

    /// Does what ``examine()`` says, under the ledger's lock; nil when there was nothing to do.
    ///
    /// A copy of what is cut, put right or lost and a note of where it came from -> `quarantine/pending` -> segments
    /// are replaced, whole, by rename -> snapshots of what was cut are moved -> both slots of the head -> what can be
    /// read of a lost past is copied into the archive and read back -> the manifest lets go of it. A crash between any
    /// two of these leaves a log that can be repaired again, to the same end. The caller then opens the ledger, which
    /// takes out of the log what the manifest let go of as it finishes any compaction, records the repair and calls
    /// ``finish()``.
    /// - Parameter expected: what was agreed to; nil for whatever there is to do.
    /// - Throws: ``LogError``: `.locked`, `.full`, all that ``examine()`` throws, and `.corrupted` when there is
    ///   something else to do than was expected.
    package func apply(expecting expected: RepairPlan? = nil) throws(LogError) -> RepairPlan? {
        let lock = try disk("open the ledger's lock for writing") { () throws(FileError) in
            try HomeLock.take(home, fileSystem)
        }
        guard let lock else {
            throw LogError(
                .locked, "another process holds the ledger at '\(home.path)'", file: "ledger.lock",
                next: "stop that process and try again")
        }
        defer { lock.unlock() }
        guard let plan = try examine() else { return nil }
        guard expected == nil || expected == plan else {
            throw LogError(
                .corrupted, "the log reads otherwise than a moment ago, and nothing was done", file: plan.segment,
                detail: plan.reason, next: "check the disk, and look again: 'ledger repair --dry-run'")
        }
        let manifest = try Manifest.load(fileSystem, home).manifest
        let head = try head(manifest)
        let kept = try prepare(plan)
        try disk("repair the log") { () throws(FileError) in
            for segment in plan.mended {
                try replace(
                    segment.name, by: segment.patches, upTo: segment.seal.offset,
                    followedBy: segment.seal.encoded(salt: segment.salt))
            }
            guard plan.changesEnd else { return }
            try replaceSegment(plan, manifest)
            try moveSnapshots(plan)
            try lowerHead(plan, head, manifest)
        }
        if let past = plan.past { try letGo(of: past, kept, manifest, lock) }
        return plan
    }

    /// Keeps what will not be as it was, and notes that a repair was begun.
    /// - Returns: where copies of lost segments are.
    private func prepare(_ plan: RepairPlan) throws(LogError) -> [Manifest.Entry: FilePath] {
        let before = try pending()
        return try disk("repair the log") { () throws(FileError) in
            for directory in [home.quarantine, home.log, home.archive] {
                try fileSystem.createDirectory(directory, permissions: LogHome.directoryMode)
            }
            try fileSystem.synchronizeDirectory(home.path)
            var (kept, bytes): ([Manifest.Entry: FilePath], UInt64) = ([:], plan.cutBytes)
            for entry in plan.past?.lost ?? [] {
                guard let status = try fileSystem.status(of: home.segment(entry.first)) else { continue }
                kept[entry] = try keep(entry, status.length, plan)
                bytes += status.length
            }
            for segment in plan.mended { try keep(segment) }
            if plan.cutBytes > 0 || !plan.patches.isEmpty { try keepEnd(plan) }
            // What an attempt that was cut short meant to do, this one finds partly done.
            let pending = PendingRepair(
                lastAfter: plan.lastAfter, cutBytes: max(bytes, before?.cutBytes ?? 0),
                reason: before?.reason ?? plan.reason)
            try fileSystem.replaceContents(
                of: home.pendingRepair, with: pending.encoded, permissions: LogHome.fileMode)
            return kept
        }
    }

    /// Has the archive hold what can be read of a lost past, and the manifest let go of it.
    private func letGo(
        of past: LostPast, _ kept: [Manifest.Entry: FilePath], _ manifest: Manifest, _ lock: HomeLock
    ) throws(LogError) {
        let compaction = Compaction(
            archives: true, fileSystem: fileSystem, home: home, held: lock.identity, manifest: manifest)
        for segment in past.archived {
            var copying = try SegmentArchiving(segment.entry, compaction, behind: segment.start)
            while try copying.step() > 0 {}
            try copying.finish()
        }
        let trees = KeptTrees.collect(for: past.manifest, by: manifest, fileSystem, home)
        try disk("have the manifest let go of what can not be read") { () throws(FileError) in
            try trees.store(fileSystem, home)
            try past.manifest.store(fileSystem, home)
            for (entry, copy) in kept {
                do throws(FileError) {
                    // The file itself may yet be read by other means; a copy has zeros where the disk refused it.
                    try fileSystem.rename(home.segment(entry.first), to: copy, replacing: true)
                } catch {
                    guard error.errno == .improperLink else { throw error }
                }
            }
            try fileSystem.synchronizeDirectory(home.quarantine)
            try fileSystem.synchronizeDirectory(home.log)
        }
    }

    /// A repair that was begun and not finished; nil when there is none.
    package func pending() throws(LogError) -> PendingRepair? {
        try disk("read what a repair left") { () throws(FileError) in
            try fileSystem.content(of: home.pendingRepair, bytesMax: PendingRepair.bytesMax)
                .flatMap { PendingRepair(decoding: $0) }
        }
    }

    /// Forgets the repair: it is on record.
    package func finish() throws(LogError) {
        try disk("finish a repair") { () throws(FileError) in
            guard try fileSystem.status(of: home.pendingRepair) != nil else { return }
            try fileSystem.unlink(home.pendingRepair)
            try fileSystem.synchronizeDirectory(home.quarantine)
        }
    }

    /// Copies a segment that is lost, as far as it can be read.
    private func keep(_ entry: Manifest.Entry, _ length: UInt64, _ plan: RepairPlan) throws(FileError) -> FilePath {
        try keep(
            0..<length, of: SegmentName.name(entry.first), because: plan.reason,
            "it left the log; a copy that was cut short has zeros where the disk refused to be read",
            passingOverHoles: true)
    }

    /// Copies a finished segment as it is.
    private func keep(_ segment: MendedSegment) throws(FileError) {
        let length = try fileSystem.status(of: home.segment(segment.entry.first))?.length ?? 0
        _ = try keep(
            0..<length, of: segment.name, because: segment.reason,
            "put right in the log: \(segment.mendedParts); no record of it is gone")
    }

    /// Copies what is cut off, or all of a last segment of which bytes are put right.
    private func keepEnd(_ plan: RepairPlan) throws(FileError) {
        _ = try keep(
            (plan.patches.isEmpty ? plan.offset : 0)..<plan.offset + plan.cutBytes, of: plan.segment,
            because: plan.reason,
            "the last \(plan.cutBytes) bytes are gone from the log; records up to \(plan.lastAfter) stay, root "
                + "\(plan.root); up to \(plan.lastBefore) were durable before")
    }

    /// Copies bytes of a segment into the quarantine, and says beside them where they came from.
    /// - Returns: where they are.
    private func keep(
        _ range: Range<UInt64>, of segment: String, because reason: String, _ outcome: String,
        passingOverHoles: Bool = false
    ) throws(FileError) -> FilePath {
        let source = try fileSystem.open(home.log.appending(segment), .read)
        defer { source.close() }
        // A copy is finished once its note is there.
        let name = try home.freeQuarantineName(segment + "-" + String(range.lowerBound), suffix: ".txt", fileSystem)
        let temporary = home.quarantine.appending(name + LogHome.newSuffix)
        var target = try PlainOutput(temporary, fileSystem)
        try copy(source, range, to: &target, passingOverHoles: passingOverHoles)
        try target.finish()
        let path = home.quarantine.appending(name + ".cut")
        try fileSystem.rename(temporary, to: path, replacing: true)
        try fileSystem.synchronizeDirectory(home.quarantine)
        let note = """
            from      log/\(segment)
            at byte   \(range.lowerBound)
            bytes     \(range.count)
            because   \(reason)
            outcome   \(outcome)

            """
        try fileSystem.replaceContents(
            of: home.quarantine.appending(name + ".txt"), with: Array(note.utf8), permissions: LogHome.fileMode)
        return path
    }

    /// Writes a segment anew up to `end`, with the bytes that are put right and those that follow, and has it take the
    /// place of the one that stands there.
    private func replace(
        _ name: String, by patches: [UInt64: UInt8], upTo end: UInt64, followedBy rest: [UInt8] = []
    ) throws(FileError) {
        let path = home.log.appending(name)
        let temporary = home.log.appending(name + LogHome.newSuffix)
        let source = PatchedFile(try fileSystem.open(path, .read), patches)
        defer { source.close() }
        var target = try PlainOutput(temporary, fileSystem)
        try copy(source, 0..<end, to: &target)
        if !rest.isEmpty { try target.append(rest) }
        try target.finish()
        try fileSystem.rename(temporary, to: path, replacing: true)
        try fileSystem.synchronizeDirectory(home.log)
    }

    /// Puts the segment without what is cut in the place of the damaged one.
    private func replaceSegment(_ plan: RepairPlan, _ manifest: Manifest) throws(FileError) {
        guard !plan.isNew else {
            let place = manifest.segments.count - 1
            let header = SegmentHeader(
                identity: manifest.identity, ordinal: UInt32(place + 1), salt: UInt32(truncatingIfNeeded: random()),
                first: manifest.segments[place].first,
                previousSeal: place > 0 ? manifest.segments[place - 1].seal : nil)
            return try SegmentWriter.create(fileSystem, home, header, configuration).file.close()
        }
        guard plan.cutBytes > 0 || !plan.patches.isEmpty else { return }
        try replace(plan.segment, by: plan.patches, upTo: plan.offset)
    }

    /// - Parameter passingOverHoles: whether what the disk refuses to read is zeros in the copy.
    private func copy(
        _ source: any File, _ range: Range<UInt64>, to target: inout PlainOutput, passingOverHoles: Bool = false
    ) throws(FileError) {
        var place = range.lowerBound
        while place < range.upperBound {
            let count = Int(min(range.upperBound - place, UInt64(LogBounds.blockBytes)))
            var part: [UInt8]
            do throws(FileError) { part = try source.bytes(at: place, count: count) } catch {
                guard passingOverHoles else { throw error }
                part = readable(source, place..<place + UInt64(count))
            }
            guard !part.isEmpty else { throw FileError("read", source.path, .ioError) }
            try target.append(part)
            place += UInt64(part.count)
        }
    }

    /// The bytes of a stretch that can be read, sector by sector, and zeros for the rest.
    private func readable(_ source: any File, _ range: Range<UInt64>) -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < range.count {
            let count = min(Self.sectorBytes, range.count - bytes.count)
            var part: [UInt8]
            do throws(FileError) {
                part = try source.bytes(at: range.lowerBound + UInt64(bytes.count), count: count)
            } catch { part = [] }
            part += [UInt8](repeating: 0, count: count - part.count)
            bytes += part
        }
        return bytes
    }

    /// A snapshot of records that are gone is the state of no log.
    private func moveSnapshots(_ plan: RepairPlan) throws(FileError) {
        guard !plan.snapshots.isEmpty else { return }
        for sequence in plan.snapshots {
            let path = home.snapshot(sequence)
            let name = path.lastComponent?.string ?? "snapshot"
            try fileSystem.rename(path, to: home.quarantine.appending(name), replacing: true)
        }
        try fileSystem.synchronizeDirectory(home.quarantine)
        try fileSystem.synchronizeDirectory(home.snapshots)
    }

    /// Has both slots of the head vouch for what is left, and no more.
    private func lowerHead(_ plan: RepairPlan, _ head: Head?, _ manifest: Manifest) throws(FileError) {
        var next = Head(generation: head?.generation ?? 0, size: plan.lastAfter.rawValue, root: plan.root)
        for _ in home.heads {
            next.generation += 1
            try next.store(fileSystem, home, manifest.identity)
        }
        try fileSystem.synchronizeDirectory(home.path)
    }
}
