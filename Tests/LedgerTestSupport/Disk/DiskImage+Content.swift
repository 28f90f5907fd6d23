import LedgerSystem

extension DiskImage {
    /// What is free, or a tebibyte without a limit.
    var bytesFree: UInt64 {
        guard let bytesMax else { return 1 << 40 }
        let taken = bytesTaken
        return taken < bytesMax ? bytesMax - taken : 0
    }

    /// How many of `count` bytes at `offset` there is room for; negative when not even the gap before them fits.
    func room(_ number: InodeNumber, from offset: Int, _ count: Int) -> Int {
        guard bytesMax != nil else { return count }
        let end = inodes[number]!.bytesTaken + bytesFree
        return Int(clamping: Int64(clamping: end) - Int64(offset)) < count
            ? Int(Int64(clamping: end) - Int64(offset)) : count
    }

    mutating func write(_ bytes: UnsafeRawBufferPointer, _ number: InodeNumber, at offset: Int) {
        if bytes.isEmpty { return }
        let change = ContentChange(serial: step(), what: .write(offset: offset, bytes: [UInt8](bytes)))
        inodes[number]!.content.write(bytes, at: offset)
        inodes[number]!.pending.append(change)
        inodes[number]!.modified = clockNanoseconds
        inodes[number]!.changed = clockNanoseconds
    }

    mutating func setLength(_ number: InodeNumber, _ length: Int) {
        let change = ContentChange(serial: step(), what: .length(length))
        inodes[number]!.content.setLength(length)
        inodes[number]!.pending.append(change)
        inodes[number]!.modified = clockNanoseconds
        inodes[number]!.changed = clockNanoseconds
    }

    func status(_ number: InodeNumber) -> FileStatus {
        let inode = inodes[number]!
        return FileStatus(
            kind: inode.kind == .directory ? .directory : .regular, length: UInt64(inode.content.count),
            modifiedNanoseconds: inode.modified, changedNanoseconds: inode.changed, inode: number, device: inode.device,
            permissions: inode.permissions, links: UInt64(inode.links))
    }
}
