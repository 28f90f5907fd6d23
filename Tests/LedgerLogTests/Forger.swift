import LedgerModel
import LedgerSystem
import LedgerTestSupport
import SystemPackage

@testable import LedgerLog

/// Someone who knows the format: writes segments anew, with every checksum made good.
struct Forger {
    let disk: SimulatedDisk

    init(_ disk: SimulatedDisk) { self.disk = disk }

    private func manifest() throws -> Manifest { try Manifest.load(disk, LogHome(home)).manifest }

    /// Writes the segment in the log that begins with `first` anew, each record as `edit` leaves it; its tree begins as
    /// it did. With `keepingRoots` the roots and the seal's tree stay those that were recorded.
    @discardableResult
    func rewrite(
        _ first: SequenceNumber, keepingRoots: Bool = false, edit: (inout LogRecord, SequenceNumber) -> Void
    ) throws -> (tree: MerkleTree, seal: TreeHash?) {
        let manifest = try manifest()
        guard let place = manifest.segments.firstIndex(where: { $0.first == first }) else { return (MerkleTree(), nil) }
        let tree = try manifest.tree(before: place, disk, LogHome(home)) ?? manifest.base
        return try rewrite(first, tree, nil, keepingRoots, edit)
    }

    /// Writes the whole log anew: roots, seals, manifest and both heads follow. With the snapshots of what it was gone,
    /// too, nothing in the home contradicts it.
    func rewriteAll(removingSnapshots: Bool = false, edit: (inout LogRecord, SequenceNumber) -> Void) throws {
        var manifest = try manifest().raised()
        var tree = manifest.base
        for place in manifest.segments.indices where manifest.segments[place].state.isInLog {
            let entry = manifest.segments[place]
            let before = place > 0 ? manifest.segments[place - 1].seal.bytes : []
            let (grown, seal) = try rewrite(entry.first, tree, before, false, edit)
            tree = grown
            if let seal {
                manifest.segments[place].root = grown.root
                manifest.segments[place].seal = seal
            }
        }
        try manifest.store(disk, LogHome(home))
        for generation in UInt64(1_000)...1_001 {
            try Head(generation: generation, size: tree.size, root: tree.root)
                .store(disk, LogHome(home), manifest.identity)
        }
        guard removingSnapshots else { return }
        let snapshots = SnapshotStore(home: home, fileSystem: disk, identity: manifest.identity)
        for sequence in try snapshots.sequences() where sequence > manifest.snapshot { try snapshots.remove(sequence) }
    }

    /// - Parameter previousSeal: what the header is to say of the seal before it; nothing when it stays.
    private func rewrite(
        _ first: SequenceNumber, _ begun: MerkleTree, _ previousSeal: [UInt8]?, _ keepingRoots: Bool,
        _ edit: (inout LogRecord, SequenceNumber) -> Void
    ) throws -> (tree: MerkleTree, seal: TreeHash?) {
        let path = LogHome(home).segment(first)
        let file = try disk.open(path, .read)
        let length = Int(try file.status().length)
        let start = try file.bytes(at: 0, count: LogBounds.headerBytes)
        let old = try SegmentHeader(decoding: start.span)
        var header = old
        if let previousSeal, !previousSeal.isEmpty { header.previousSeal = Array(previousSeal.prefix(20)) }
        var cursor = SegmentCursor(old, file)
        var bytes = header.encoded
        var chain = header.chain
        var tree = begun
        while case .batch(let batch) = try cursor.step() {
            let (written, checksum) = forge(batch, header, chain, &tree, keepingRoots, edit)
            bytes.append(contentsOf: written)
            chain = checksum
        }
        var digest: TreeHash?
        if case .seal(let seal) = try cursor.step() {
            let forged = SegmentSeal(
                first: seal.first, count: seal.count, offset: UInt64(bytes.count), chain: chain, time: seal.time,
                tree: keepingRoots ? seal.tree : tree, index: [])
            bytes.append(contentsOf: forged.encoded(salt: header.salt))
            digest = forged.digest(header)
        } else if bytes.count < length {
            bytes.append(contentsOf: [UInt8](repeating: 0, count: length - bytes.count))
        }
        let forged = bytes
        try disk.damage(path) { $0 = forged }
        return (tree, digest)
    }

    private func forge(
        _ batch: StoredBatch, _ header: SegmentHeader, _ chain: UInt32, _ tree: inout MerkleTree, _ keepingRoots: Bool,
        _ edit: (inout LogRecord, SequenceNumber) -> Void
    ) -> (bytes: [UInt8], checksum: UInt32) {
        let hasher = LeafHasher(header.identity)
        var writer = BatchWriter()
        for record in batch.records {
            var changed = record.asStaged
            edit(&changed, record.sequence)
            writer.append(changed, as: record.sequence)
        }
        var checksum = writer.finish(&tree, hasher, chain: chain, salt: header.salt).checksum
        var bytes = writer.bytes
        if keepingRoots {
            bytes.replaceSubrange((bytes.count - LogBounds.rootBytes)..., with: batch.root.bytes)
            checksum = CRC32C.checksum(bytes.span, exceptAt: 4, seed: header.salt)
            bytes.replace(at: 4, with: checksum)
        }
        return (bytes, checksum)
    }
}
