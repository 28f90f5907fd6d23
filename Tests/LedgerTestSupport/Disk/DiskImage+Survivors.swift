/// What a power cut makes of one unsynced change of a file's content.
enum ContentFate: Hashable, Sendable {
    case kept
    case dropped
    /// Only the first or the last sectors (512 bytes, at absolute offsets) of a write arrived.
    case firstSectors(Int)
    case lastSectors(Int)
    /// The length arrived before the data: where the file grew, there are zeros.
    case zeros
    /// The blocks were allocated and hold what was there before: anything.
    case garbage(UInt64)
    /// Each sector for itself: new, old, zeros or garbage.
    case scrambled(UInt64)
}

/// One way a disk may look after a power cut.
struct SurvivorPlan: Hashable, Sendable {
    /// The fate of each unsynced change of content, in order.
    var content: [ContentFate]
    /// The serial numbers of the changes of names that are kept.
    var names: Set<Int>
}

extension DiskImage {
    static let sectorBytes = 512

    /// The unsynced changes of content, of all files, in the order they were made.
    var pendingContent: [ContentChange] {
        inodes.values.lazy.flatMap(\.pending).sorted { $0.serial < $1.serial }
    }

    /// The disk a power cut leaves behind when things go as planned.
    func survivor(_ plan: SurvivorPlan) -> DiskImage {
        var image = self
        var fates: [Int: ContentFate] = [:]
        for (change, fate) in zip(pendingContent, plan.content) { fates[change.serial] = fate }
        for operation in pendingNames where plan.names.contains(operation.serial) {
            _ = image.makeDurable(operation)
        }
        image.pendingNames = []
        var reached: [InodeNumber: Inode] = [:]
        image.reach(Self.root, fates, into: &reached)
        image.inodes = reached
        return image
    }

    /// Takes over what the durable names lead to, each file's content as its fates have it.
    private func reach(_ number: InodeNumber, _ fates: [Int: ContentFate], into reached: inout [InodeNumber: Inode]) {
        if reached[number] != nil {
            reached[number]!.links += 1
            reached[number]!.durableLinks += 1
            return
        }
        var inode = inodes[number]!
        inode.links = 1
        inode.durableLinks = 1
        inode.handles = 0
        inode.changed = inode.durableChanged
        switch inode.kind {
        case .file:
            for change in inode.pending { inode.durable.apply(change.what, fates[change.serial] ?? .dropped) }
            let isWhole = inode.pending.allSatisfy { fates[$0.serial] == .kept }
            if isWhole && !inode.hasDiverged { inode.durableModified = inode.modified }
            inode.content = inode.durable
            inode.hasDiverged = false
            inode.modified = inode.durableModified
            inode.pending = []
            reached[number] = inode
        case .directory:
            inode.names = inode.durableNames
            reached[number] = inode
            for child in inode.names.values { reach(child, fates, into: &reached) }
        }
    }
}

extension PagedBytes {
    /// Does an unsynced change as far as its fate allows. A change of length is made whole or not at all.
    mutating func apply(_ change: ContentChange.What, _ fate: ContentFate) {
        switch (change, fate) {
        case (_, .kept): apply(change)
        case (_, .dropped): break
        case (.length, _): apply(change)
        case (.write(let offset, let bytes), .firstSectors(let sectors)):
            let cut = Self.end(ofSector: sectors, from: offset)
            write(bytes.prefix(max(0, cut - offset)), at: offset)
        case (.write(let offset, let bytes), .lastSectors(let sectors)):
            let end = offset + bytes.count
            let start = max(
                offset,
                (end - 1) / DiskImage.sectorBytes * DiskImage.sectorBytes
                    - (sectors - 1) * DiskImage.sectorBytes)
            write(bytes.suffix(end - start), at: start)
        case (.write(let offset, let bytes), .zeros):
            setLength(max(count, offset + bytes.count))
        case (.write(let offset, let bytes), .garbage(let seed)):
            var generator = SplitMix64(seed: seed)
            write(Self.garbage(bytes.count, &generator)[...], at: offset)
        case (.write(let offset, let bytes), .scrambled(let seed)):
            scramble(bytes, at: offset, seed)
        }
    }

    private mutating func scramble(_ bytes: [UInt8], at offset: Int, _ seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        let end = offset + bytes.count
        setLength(max(count, end))
        var start = offset
        while start < end {
            let stop = min(end, Self.end(ofSector: 1, from: start))
            switch generator.next() % 8 {
            case 0...3: write(bytes[start - offset..<stop - offset], at: start)
            case 4, 5: break
            case 6: write([UInt8](repeating: 0, count: stop - start)[...], at: start)
            default: write(Self.garbage(stop - start, &generator)[...], at: start)
            }
            start = stop
        }
    }

    private mutating func write(_ bytes: ArraySlice<UInt8>, at offset: Int) {
        if bytes.isEmpty { return }
        bytes.withUnsafeBytes { write($0, at: offset) }
    }

    /// The offset where the n-th sector that begins at or holds `offset` ends.
    private static func end(ofSector number: Int, from offset: Int) -> Int {
        (offset / DiskImage.sectorBytes + number) * DiskImage.sectorBytes
    }

    private static func garbage(_ count: Int, _ generator: inout SplitMix64) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            while filled < count {
                buffer[filled] = UInt8(truncatingIfNeeded: generator.next())
                filled += 1
            }
        }
    }
}
