import LedgerSystem
import SystemPackage

/// How far the log was known to be durable at some moment of the last seconds: what tells a log whose tail was lost
/// wholesale from one that never had it. Two slots, written in turn, so that a cut can spoil the newer one only.
package struct Head: Hashable, Sendable {
    /// Raised by each write; its lowest bit names the slot.
    package var generation: UInt64
    /// The sequence of the last record.
    package var size: UInt64
    /// The root of the tree at ``size``.
    package var root: TreeHash

    static let magic: UInt32 = 0x4847_444C  // "LDGH"
    static let byteCount = 80

    func encoded(_ identity: LedgerID) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Self.byteCount)
        bytes.append(integer: Self.magic)
        bytes.append(integer: LogBounds.format)
        bytes.append(integer: UInt16(0))
        bytes.append(contentsOf: identity.bytes)
        bytes.append(integer: generation)
        bytes.append(integer: size)
        root.append(to: &bytes)
        bytes.append(integer: UInt32(0))
        bytes.append(integer: CRC32C.checksum(bytes.span))
        return bytes
    }

    /// The head of a slot's bytes; nil when they are damaged, or of another ledger than is asked for.
    init?(decoding array: [UInt8], _ identity: LedgerID?) {
        let bytes = array.span
        guard bytes.count == Self.byteCount, bytes.integer(at: 0) == Self.magic,
            bytes.integer(at: 76) == CRC32C.checksum(bytes.extracting(..<76)),
            bytes.integer(at: 4) == LogBounds.format,
            identity == nil || LedgerID(bytes.integer(at: 8), bytes.integer(at: 16)) == identity
        else { return nil }
        generation = bytes.integer(at: 24)
        size = bytes.integer(at: 32)
        root = TreeHash(reading: bytes, at: 40)
    }

    init(generation: UInt64, size: UInt64, root: TreeHash) {
        self.generation = generation
        self.size = size
        self.root = root
    }

    /// What a home's two slots say: the newest that is whole, and the names of those that are not.
    ///
    /// Both are durable before the first manifest is, and one of them is whole at all times: beside a manifest, none
    /// means that they were taken away, and nobody can say any more how far the log went.
    /// - Throws: ``LogError``: `.missing` when neither is there, `.corrupted` when what is there is damaged, `.io`.
    static func load(
        _ fileSystem: any FileSystem, _ home: LogHome, _ identity: LedgerID
    ) throws(LogError) -> (head: Head, damaged: [String]) {
        var isAnyThere = false
        var unreadable: LogError?
        // A reader may meet a writer first in the one slot and then in the other.
        for _ in 0..<LogBounds.copyReadsMax {
            var newest: Head?
            var damaged: [String] = []
            for path in home.heads {
                let bytes = try copy(noting: &unreadable) { () throws(LogError) in
                    try disk("read the head") { () throws(FileError) in
                        try fileSystem.content(of: path, bytesMax: LogBounds.headFileBytesMax)
                    }
                }
                isAnyThere = isAnyThere || bytes != nil
                if let head = Head(decoding: bytes ?? [], identity) {
                    if head.generation >= newest?.generation ?? 0 { newest = head }
                } else {
                    damaged.append(path.lastComponent?.string ?? "")
                }
            }
            if let newest { return (newest, damaged) }
        }
        if let unreadable { throw unreadable }
        throw LogError(
            isAnyThere ? .corrupted : .missing,
            "'head-a' and 'head-b' are \(isAnyThere ? "damaged or gone" : "not there")", file: "head-a",
            detail: "they tell how far the log was durable: without them nobody can say whether its end is gone",
            next: Advice.restoreHead)
    }

    /// Writes the slot that is due, durably.
    func store(_ fileSystem: any FileSystem, _ home: LogHome, _ identity: LedgerID) throws(FileError) {
        let file = try fileSystem.open(
            home.heads[Int(generation & 1)], .createOrUpdate(permissions: LogHome.fileMode))
        defer { file.close() }
        try file.write(encoded(identity), at: 0)
        if try file.status().length > UInt64(Self.byteCount) { try file.truncate(to: UInt64(Self.byteCount)) }
        try file.synchronize()
    }
}
