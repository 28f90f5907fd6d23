import LedgerModel
import LedgerSystem
import SystemPackage

/// Writes a finished segment anew with the content of some records taken out: what is left of them are the roots over
/// their leaves, so that every root, and the seal's digest, stay what they were.
struct SegmentRewrite {
    private let segment: SegmentFile
    private let seal: SegmentSeal
    /// The tree that the segment begins with.
    private let start: MerkleTree
    /// Why records are hidden.
    private let reason: HiddenRecords.Reason

    /// A batch is ended once it is so long, in bytes.
    static let batchBytesMin = 64 << 10

    /// Writes a segment anew at `path`, durable, and reads it back through `reopen`: every checksum and root of it
    /// holds then, and its seal is the one that the manifest's entry vouches for. Packed when the path says so.
    /// - Returns: how many records were hidden; 0, and no file at `path`, when there was none to hide.
    static func replacement(
        of segment: SegmentFile, _ entry: Manifest.Entry, _ start: MerkleTree?, at path: FilePath,
        _ fileSystem: any FileSystem, as reason: HiddenRecords.Reason, hiding hides: (StoredRecord) -> Bool,
        reopen: (Manifest.Entry, FilePath) throws(LogError) -> SegmentFile
    ) throws(LogError) -> UInt64 {
        // Behind a dropped segment nobody knows the tree that this one begins with, and so none of its roots.
        guard let start else { return 0 }
        let rewrite = SegmentRewrite(
            segment: segment, seal: try segment.seal(matching: entry), start: start, reason: reason)
        let hidden: UInt64
        if SegmentFile.isPacked(path) {
            var output = try disk("write a segment anew") { () throws(FileError) in try GzipOutput(path, fileSystem) }
            hidden = try rewrite.write(to: &output, hiding: hides)
        } else {
            var output = try disk("write a segment anew") { () throws(FileError) in try PlainOutput(path, fileSystem) }
            hidden = try rewrite.write(to: &output, hiding: hides)
        }
        guard hidden > 0 else {
            try disk("remove a temporary file") { () throws(FileError) in try fileSystem.unlink(path) }
            return 0
        }
        let copy = try reopen(entry, path)
        defer { copy.file.close() }
        try copy.check(entry, from: start)
        return hidden
    }

    private func write(
        to output: inout some SegmentOutput, hiding hides: (StoredRecord) -> Bool
    ) throws(LogError) -> UInt64 {
        var copy = RewrittenSegment(segment.header, start)
        var hidden: UInt64 = 0
        try put(segment.header.encoded, &output)
        try segment.forEachBatch { batch throws(LogError) in
            for record in batch.records {
                let isToGo = record.hidden == nil && hides(record)
                if isToGo { hidden += 1 }
                copy.append(record, hiding: isToGo ? reason : nil)
            }
            if copy.pendingBytes >= Self.batchBytesMin { try put(copy.takeBatch(), &output) }
        }
        try put(copy.takeBatch(), &output)
        try put(copy.seal(time: seal.time).encoded(salt: segment.header.salt), &output)
        try disk("write a segment anew") { () throws(FileError) in try output.finish() }
        return hidden
    }

    private func put(_ bytes: [UInt8], _ output: inout some SegmentOutput) throws(LogError) {
        guard !bytes.isEmpty else { return }
        try disk("write a segment anew") { () throws(FileError) in try output.append(bytes) }
    }
}

/// The batches of a segment that is written anew, and what its seal will say of them.
private struct RewrittenSegment {
    private var tree: MerkleTree
    private var contents: SegmentContents
    private let hasher: LeafHasher
    private var batch = BatchWriter()
    private var run = HiddenRun()
    private let salt: UInt32

    init(_ header: SegmentHeader, _ start: MerkleTree) {
        tree = start
        contents = SegmentContents(header)
        hasher = LeafHasher(header.identity)
        salt = header.salt
    }

    /// How long the batch would be now, in bytes.
    var pendingBytes: Int { batch.bytes.count }

    /// Adds a record, or what stands for it already, or will when there is a reason to hide it.
    mutating func append(_ record: StoredRecord, hiding reason: HiddenRecords.Reason?) {
        let fresh = reason.map { HiddenRecords(root: hasher.leaf(record), height: 0, $0) }
        if let hidden = record.hidden ?? fresh {
            return run.append(hidden, first: record.sequence, time: record.time)
        }
        flushRun()
        let plain = LogRecord(
            type: record.type, version: record.version, time: record.time, payload: Array(record.payload))
        batch.append(plain, as: record.sequence)
    }

    /// Ends the batch; no bytes when it holds nothing.
    mutating func takeBatch() -> [UInt8] {
        flushRun()
        guard let first = batch.first, let newestTime = batch.newestTime else { return [] }
        let size = tree.size
        let checksum = batch.finish(&tree, hasher, chain: contents.chain, salt: salt).checksum
        let bytes = batch.bytes
        batch.removeAll()
        contents.advance(
            first, records: tree.size - size, length: bytes.count, checksum: checksum, newestTime: newestTime)
        return bytes
    }

    /// The seal; the time is that of the segment as it was, also when its record is hidden.
    func seal(time: Timestamp) -> SegmentSeal {
        var seal = contents.seal(tree)
        seal.time = time
        return seal
    }

    private mutating func flushRun() {
        for part in run.parts { batch.append(part.records, as: part.first, part.time) }
        run.removeAll()
    }
}
