package import LedgerModel
import LedgerSystem

extension WriteAheadLog {
    /// Makes everything staged so far durable: one write, then one `fdatasync(2)`, for each batch of up to
    /// ``LogBounds/batchBytesMax`` (all that is staged, but for very large commits).
    ///
    /// Takes 0.1-5 ms on a disk. Committing nothing is free. What can wait is left to ``prepare(at:)``; `now` only
    /// tells since when the head lags.
    /// - Throws: ``LogError``. With code `.full`, what was staged is forgotten, and where nothing of it was written,
    ///   ``check()`` lets the log be used on. Else it is closed for good: what reached the disk is unknown, and the
    ///   only way on is to open it again.
    package mutating func commit(at now: Timestamp) throws(LogError) {
        try check()
        headTime = headTime ?? now
        var isPartial = false
        while staging.batchCount > 0 {
            do throws(LogError) {
                try makeRoom()
                try writeFirst()
            } catch {
                staging.removeAll()
                // Part of it is durable, and all of it is refused: only opening anew tells what is on record.
                if isPartial { failure = error }
                throw error
            }
            isPartial = true
        }
    }

    /// Seals the current segment and starts a new one. An empty segment stays.
    ///
    /// The new one takes its room first: on a full disk the log stays as it is, and can still be opened.
    /// - Throws: ``LogError``; with `.full` the log can be used on once there is room.
    package mutating func rotate() throws(LogError) {
        try check()
        guard let current = segment, !current.isEmpty else { return try startSegment() }
        let seal = current.seal(tree)
        let header = following(manifest.closing(seal, current.header)).header
        let next = try roomy("seal a segment") { (log) throws(FileError) in
            try log.segment?.reserve(seal.length, log.configuration)
            return try SegmentWriter.create(log.fileSystem, log.home, header, log.configuration)
        }
        try fatal("seal a segment") { (_) throws(FileError) in
            try current.finish(seal)
            current.file.close()
        }
        closeSegment(seal, current)
        try startSegment(next)
    }

    /// A segment with room for the first staged batch.
    private mutating func makeRoom() throws(LogError) {
        if let segment, segment.offset >= configuration.segmentBytesMax { try rotate() }
        if segment == nil { try startSegment() }
        let length = staging.withFirst { $0.length }
        try roomy("record what was asked") { (log) throws(FileError) in
            try log.segment?.reserve(length, log.configuration)
        }
    }

    private mutating func writeFirst() throws(LogError) {
        guard var segment else { preconditionFailure("there is a segment once there is room") }
        var next = tree
        let root: TreeHash
        do throws(FileError) {
            root = try staging.withFirst { (batch) throws(FileError) in
                let (checksum, root) = batch.finish(
                    &next, hasher, chain: segment.chain, salt: segment.header.salt)
                try segment.write(batch)
                segment.advance(
                    batch.first ?? .zero, records: UInt64(batch.count), length: batch.bytes.count, checksum: checksum,
                    newestTime: batch.newestTime ?? .epoch)
                return root
            }
        } catch {
            let failure = LogError(error, doing: "make a batch durable")
            self.failure = failure
            throw failure
        }
        staging.removeFirst()
        self.segment = segment
        tree = next
        self.root = root
    }

    /// Counts a segment as finished, in memory: the manifest says so once the next one is there.
    mutating func closeSegment(_ seal: SegmentSeal, _ writer: SegmentWriter) {
        sealedBytes += seal.offset + UInt64(seal.length)
        manifest = manifest.closing(seal, writer.header)
        segment = nil
    }

    /// Has the manifest count the next segment, and makes it where it was not made yet. Again after a failure for lack
    /// of room.
    mutating func startSegment(_ made: SegmentWriter? = nil) throws(LogError) {
        guard segment == nil else { return }
        let (next, header) = following(manifest)
        let writer = try roomy("start a segment") { (log) throws(FileError) in
            let writer =
                if let made { made } else {
                    try SegmentWriter.create(log.fileSystem, log.home, header, log.configuration)
                }
            try next.store(log.fileSystem, log.home)
            return writer
        }
        manifest = next
        segment = writer
        try fatal("note how far the log goes") { (log) throws(FileError) in try log.writeHead() }
    }

    /// The manifest after this one, with an active segment, and that segment's header.
    private func following(_ manifest: Manifest) -> (manifest: Manifest, header: SegmentHeader) {
        var next = manifest.raised()
        if let last = next.segments.last, last.state != .active { next.segments.append(.active(last.last.next)) }
        let place = next.segments.count - 1
        let header = SegmentHeader(
            identity: identity, ordinal: UInt32(place + 1), salt: SegmentHeader.salt(random()),
            first: next.segments[place].first, previousSeal: place > 0 ? next.segments[place - 1].seal : nil)
        return (next, header)
    }
}

extension Manifest {
    /// This manifest with its last segment finished.
    fileprivate func closing(_ seal: SegmentSeal, _ header: SegmentHeader) -> Manifest {
        var closed = self
        let place = segments.count - 1
        closed.segments[place].count = seal.count
        closed.segments[place].state = .sealed
        closed.segments[place].root = seal.tree.root
        closed.segments[place].seal = seal.digest(header)
        return closed
    }
}
