import LedgerModel
import LedgerSystem
import SystemPackage

extension LogRepair {
    /// Does what ``examine()`` says, under the ledger's lock; nil when there was nothing to do.
    ///
    /// A copy of what is cut and a note of where it came from -> `quarantine/pending` -> the segment is replaced,
    /// whole, by rename -> snapshots of what was cut are moved -> both slots of the head. A crash between any two of
    /// these leaves a log that can be repaired again, to the same end. The caller then opens the ledger, records the
    /// repair and calls ``finish()``.
    /// - Throws: ``LogError``: `.locked`, `.full`, and all that ``examine()`` throws.
    package func apply() throws(LogError) -> RepairPlan? {
        let lock = try disk("open the ledger's lock for writing") { () throws(FileError) in
            try fileSystem.lock(home.lock)
        }
        guard let lock else {
            throw LogError(
                .locked, "another process holds the ledger at '\(home.path)'", file: "ledger.lock",
                next: "stop that process and try again")
        }
        defer { lock.unlock() }
        guard let plan = try examine() else { return nil }
        let manifest = try Manifest.load(fileSystem, home).manifest
        let head = try head(manifest)
        let before = try pending()
        try disk("repair the log") { () throws(FileError) in
            for directory in [home.quarantine, home.log] {
                try fileSystem.createDirectory(directory, permissions: LogHome.directoryMode)
            }
            try fileSystem.synchronizeDirectory(home.path)
            if plan.cutBytes > 0 || !plan.patches.isEmpty { try quarantine(plan) }
            let pending = PendingRepair(
                lastAfter: plan.lastAfter, cutBytes: plan.cutBytes + (before?.cutBytes ?? 0),
                reason: before?.reason ?? plan.reason)
            try fileSystem.replaceContents(
                of: home.pendingRepair, with: pending.encoded, permissions: LogHome.fileMode)
            try replaceSegment(plan, manifest)
            try moveSnapshots(plan)
            try lowerHead(plan, head, manifest)
        }
        return plan
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

    /// Copies what is cut, and says where it came from.
    private func quarantine(_ plan: RepairPlan) throws(FileError) {
        let source = try fileSystem.open(home.log.appending(plan.segment), .read)
        defer { source.close() }
        // A copy is finished once its note is there.
        let name = try home.freeQuarantineName(
            plan.segment + "-" + String(plan.offset), suffix: ".txt", fileSystem)
        let path = home.quarantine.appending(name + ".cut")
        let temporary = home.quarantine.appending(name + LogHome.newSuffix)
        if try fileSystem.status(of: temporary) != nil { try fileSystem.unlink(temporary) }
        let target = try fileSystem.open(temporary, .create(permissions: LogHome.fileMode))
        defer { target.close() }
        // A segment of which bytes are put right is kept as it was, all of it.
        let start = plan.patches.isEmpty ? plan.offset : 0
        try copy(source, start..<plan.offset + plan.cutBytes, to: target, at: 0)
        try target.synchronize()
        try fileSystem.rename(temporary, to: path, replacing: true)
        try fileSystem.synchronizeDirectory(home.quarantine)
        let note = """
            cut from  log/\(plan.segment)
            at byte   \(start)
            bytes     \(plan.offset + plan.cutBytes - start), of which the last \(plan.cutBytes) are gone from the log
            because   \(plan.reason)
            records   up to \(plan.lastAfter) stay, root \(plan.root); up to \(plan.lastBefore) were durable before

            """
        try fileSystem.replaceContents(
            of: home.quarantine.appending(name + ".txt"), with: Array(note.utf8), permissions: LogHome.fileMode)
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
        let path = home.log.appending(plan.segment)
        let temporary = home.log.appending(plan.segment + LogHome.newSuffix)
        if try fileSystem.status(of: temporary) != nil { try fileSystem.unlink(temporary) }
        let source = PatchedFile(try fileSystem.open(path, .read), plan.patches)
        defer { source.close() }
        let target = try fileSystem.open(temporary, .create(permissions: LogHome.fileMode))
        defer { target.close() }
        try copy(source, 0..<plan.offset, to: target, at: 0)
        try target.synchronize()
        try fileSystem.rename(temporary, to: path, replacing: true)
        try fileSystem.synchronizeDirectory(home.log)
    }

    private func copy(
        _ source: any File, _ range: Range<UInt64>, to target: any File, at start: UInt64
    ) throws(FileError) {
        var place = range.lowerBound
        while place < range.upperBound {
            let part = try source.bytes(
                at: place, count: Int(min(range.upperBound - place, UInt64(LogBounds.blockBytes))))
            guard !part.isEmpty else { throw FileError("read", source.path, .ioError) }
            try target.write(part, at: start + place - range.lowerBound)
            place += UInt64(part.count)
        }
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
