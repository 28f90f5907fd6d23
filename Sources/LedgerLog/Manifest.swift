package import LedgerModel
import LedgerSystem

/// The truth about which segments count. Written twice, each copy with its checksum, so that either may be lost.
package struct Manifest: Hashable, Sendable {
    /// What became of a segment.
    package enum State: UInt8, Hashable, Sendable {
        /// The one that is appended to: always the last.
        case active = 0
        /// Finished, in `log/`.
        case sealed = 1
        /// Finished, out of the log, kept in `archive/`.
        case archived = 2
        /// Finished, out of the log, unlinked.
        case dropped = 3

        var isInLog: Bool { self == .active || self == .sealed }
    }

    /// A segment that there is or was: entries are never removed, so that a compacted log still vouches for its past.
    package struct Entry: Hashable, Sendable {
        /// The sequence it begins with, which names its file.
        package var first: SequenceNumber
        /// How many records it holds; 0 while it is active.
        package var count: UInt64
        /// What became of it.
        package var state: State
        /// The root of the tree at its end; zeros while it is active.
        package var root: TreeHash
        /// The digest of its seal; zeros while it is active.
        package var seal: TreeHash

        /// The sequence of its last record; the one before its first while it has none.
        package var last: SequenceNumber { SequenceNumber(first.rawValue + count - 1) }

        static func active(_ first: SequenceNumber) -> Entry {
            Entry(first: first, count: 0, state: .active, root: .zero, seal: .zero)
        }
    }

    /// The ledger it belongs to.
    package var identity: LedgerID
    /// Raised by each change; of two copies, the higher counts.
    package var generation: UInt64
    /// The tree at the last record that compaction took out of the log.
    package var base: MerkleTree
    /// The snapshot that stands for what was taken out; zero for none.
    package var snapshot: SequenceNumber
    /// All segments there ever were, in order; the last one is active.
    package var segments: [Entry]

    static let magic: UInt32 = 0x4D47_444C  // "LDGM"
    static let headerBytes = 64
    static let entryBytes = 88

    /// The segments that are in the log.
    package var live: [Entry] { segments.filter(\.state.isInLog) }

    var encoded: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Self.headerBytes + base.peaks.count * 32 + segments.count * Self.entryBytes)
        bytes.append(integer: Self.magic)
        bytes.append(integer: LogBounds.format)
        bytes.append(integer: UInt16(0))
        bytes.append(contentsOf: identity.bytes)
        bytes.append(integer: generation)
        bytes.append(integer: base.size)
        bytes.append(integer: snapshot.rawValue)
        bytes.append(integer: UInt32(segments.count))
        bytes.append(integer: UInt32(base.peaks.count))
        bytes.append(integer: UInt32(0))
        bytes.append(integer: UInt32(0))
        for peak in base.peaks { peak.append(to: &bytes) }
        for entry in segments {
            bytes.append(integer: entry.first.rawValue)
            bytes.append(integer: entry.count)
            bytes.append(integer: UInt64(entry.state.rawValue))
            entry.root.append(to: &bytes)
            entry.seal.append(to: &bytes)
        }
        bytes.replace(at: 60, with: CRC32C.checksum(bytes.span, exceptAt: 60, seed: 0))
        return bytes
    }

    /// What is wrong with bytes that should be a manifest.
    enum Fault: Error, Hashable {
        case damaged
        case format(UInt16)
    }

    init(decoding array: [UInt8]) throws(Fault) {
        let bytes = array.span
        guard bytes.count >= Self.headerBytes, bytes.integer(at: 0) == Self.magic,
            bytes.integer(at: 60) == CRC32C.checksum(bytes, exceptAt: 60, seed: 0)
        else { throw .damaged }
        let format: UInt16 = bytes.integer(at: 4)
        guard format == LogBounds.format else { throw .format(format) }
        let count = Int(bytes.integer(at: 48, as: UInt32.self))
        let peaked = Int(bytes.integer(at: 52, as: UInt32.self))
        guard peaked <= 64, bytes.count == Self.headerBytes + peaked * 32 + count * Self.entryBytes else {
            throw .damaged
        }
        identity = LedgerID(bytes.integer(at: 8), bytes.integer(at: 16))
        generation = bytes.integer(at: 24)
        snapshot = SequenceNumber(bytes.integer(at: 40))
        let peaks = (0..<peaked).map { TreeHash(reading: bytes, at: Self.headerBytes + $0 * 32) }
        guard let base = MerkleTree(size: bytes.integer(at: 32), peaks: peaks) else { throw .damaged }
        self.base = base
        segments = []
        for number in 0..<count {
            let start = Self.headerBytes + peaked * 32 + number * Self.entryBytes
            let state = bytes.integer(at: start + 16, as: UInt64.self)
            guard let known = UInt8(exactly: state).flatMap(State.init(rawValue:)) else { throw .damaged }
            segments.append(
                Entry(
                    first: SequenceNumber(bytes.integer(at: start)), count: bytes.integer(at: start + 8), state: known,
                    root: TreeHash(reading: bytes, at: start + 24), seal: TreeHash(reading: bytes, at: start + 56)))
        }
        guard isSound else { throw .damaged }
    }

    init(identity: LedgerID) {
        self.identity = identity
        generation = 1
        base = MerkleTree()
        snapshot = .zero
        segments = [.active(SequenceNumber(1))]
    }

    /// Whether the entries follow each other without a gap, taken out ones first, one active at the end.
    private var isSound: Bool {
        guard segments.last?.state == .active, segments.first?.first == SequenceNumber(1) else { return false }
        var next = SequenceNumber(1)
        var isOut = true
        for (place, entry) in segments.enumerated() {
            let end = entry.first.rawValue.addingReportingOverflow(entry.count)
            guard entry.first == next, !end.overflow, (entry.state == .active) == (place == segments.count - 1),
                (entry.state == .active) == (entry.count == 0)
            else { return false }
            if entry.state.isInLog {
                if isOut, base.size != entry.first.rawValue - 1 { return false }
                isOut = false
            } else if !isOut {
                return false
            }
            next = SequenceNumber(end.partialValue)
        }
        return true
    }
}
