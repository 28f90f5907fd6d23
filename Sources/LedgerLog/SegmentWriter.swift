import LedgerModel
import LedgerSystem
import SystemPackage

/// Appends to one segment: zeros ahead, batches over them, a seal at the end.
struct SegmentWriter: Sendable {
    let file: any File
    let header: SegmentHeader
    let name: String
    private var contents: SegmentContents
    /// Up to where there are zeros: the length of the file.
    private var filled: UInt64
    /// Whether the disk had no room for zeros ahead.
    private var isFull = false

    /// Where the next batch goes.
    var offset: UInt64 { contents.offset }
    /// The checksum of the last batch.
    var chain: UInt32 { contents.chain }
    var isEmpty: Bool { contents.count == 0 }
    /// The latest time of a record; nil without one.
    var newestTime: Timestamp? { contents.newestTime }

    /// A segment without a batch, `filled` bytes long.
    init(_ segment: SegmentFile, filled: UInt64) {
        file = segment.file
        header = segment.header
        name = segment.name
        contents = SegmentContents(header)
        self.filled = filled
    }

    /// Counts a batch that stands in the file.
    mutating func advance(past batch: StoredBatch) { contents.advance(past: batch) }

    /// Counts a batch that was written to the file.
    mutating func advance(
        _ first: SequenceNumber, records: UInt64, length: Int, checksum: UInt32, newestTime: Timestamp
    ) {
        contents.advance(first, records: records, length: length, checksum: checksum, newestTime: newestTime)
    }

    /// Writes zeros so far ahead that `length` bytes fit at the end, where ``fillBlock(_:)`` did not come first. Not
    /// synced: the batch's own sync makes the new length durable with it. After an error nothing but zeros was added.
    mutating func reserve(_ length: Int, _ configuration: LogConfiguration) throws(FileError) {
        let need = offset + UInt64(length)
        guard need > filled else { return }
        let ahead = min(filled + configuration.zeroStepBytesMin, max(configuration.segmentBytesMax, need))
        do throws(FileError) {
            try fill(max(need, ahead))
        } catch {
            guard error.isDiskFull, ahead > need else { throw error }
            try fill(need)
        }
    }

    /// Whether fewer zeros are ahead than half a step, which is as long as the file, within limits.
    func needsZeros(_ configuration: LogConfiguration) -> Bool {
        let step = min(max(filled, configuration.zeroStepBytesMin), configuration.zeroStepBytesMax)
        return !isFull && filled < configuration.segmentBytesMax && filled - min(offset, filled) < step / 2
    }

    /// Writes a block of zeros ahead and makes it durable, so that the next batches overwrite what the file has
    /// already: their syncs change no length. A full disk adds nothing, and is not asked again.
    mutating func fillBlock(_ configuration: LogConfiguration) throws(FileError) {
        let block = max(configuration.zeroStepBytesMin, UInt64(LogBounds.blockBytes))
        do throws(FileError) {
            try fill(min(filled + block, configuration.segmentBytesMax))
        } catch {
            guard error.isDiskFull else { throw error }
            isFull = true
            return
        }
        try file.synchronize()
    }

    private mutating func fill(_ end: UInt64) throws(FileError) {
        let zeros = [UInt8](repeating: 0, count: Int(min(end - min(filled, end), UInt64(LogBounds.blockBytes))))
        while filled < end {
            let part = min(end - filled, UInt64(zeros.count))
            try unsafe file.write(zeros.span.bytes.extracting(..<Int(part)), at: filled)
            filled += part
        }
    }

    /// Writes the batch at the end and makes it durable.
    func write(_ batch: borrowing BatchWriter) throws(FileError) {
        try file.write(batch.bytes, at: offset)
        #if PLANTED_BUGS
            if PlantedBug.acknowledgedBeforeSync.isOn { return }
            if PlantedBug.syncRetried.isOn {
                do throws(FileError) { return try file.synchronize() } catch {
                    // Asked again, the kernel says that all is well.
                }
            }
        #endif
        try file.synchronize()
    }

    /// The seal for what is in the segment.
    func seal(_ tree: MerkleTree) -> SegmentSeal { contents.seal(tree) }

    /// Ends the segment: the seal over the zeros, a sync, the rest of the file cut off, a sync. Where the rest looks
    /// cut off already, it is cut off again: the sync after it may have failed.
    func finish(_ seal: SegmentSeal) throws(FileError) {
        let bytes = seal.encoded(salt: header.salt)
        try file.write(bytes, at: offset)
        try file.synchronize()
        let end = offset + UInt64(bytes.count)
        if try file.status().length == end { try file.truncate(to: end + UInt64(LogBounds.alignmentBytes)) }
        try file.truncate(to: end)
        try file.synchronize()
    }

    /// Makes a new segment under a name of its own, durable, and then gives it its real one, durable too.
    static func create(
        _ fileSystem: any FileSystem, _ home: LogHome, _ header: SegmentHeader, _ configuration: LogConfiguration
    ) throws(FileError) -> SegmentWriter {
        let path = home.segment(header.first)
        let temporary = home.log.appending(SegmentName.name(header.first) + LogHome.newSuffix)
        if try fileSystem.status(of: temporary) != nil { try fileSystem.unlink(temporary) }
        do throws(FileError) {
            let file = try fileSystem.open(temporary, .create(permissions: LogHome.fileMode))
            try file.write(header.encoded, at: 0)
            let segment = SegmentFile(file: file, header: header, name: SegmentName.name(header.first))
            var writer = SegmentWriter(segment, filled: UInt64(LogBounds.headerBytes))
            try writer.fill(max(configuration.zeroStepBytesMin, UInt64(LogBounds.headerBytes)))
            try file.synchronize()
            try publish(temporary, as: path, fileSystem)
            return writer
        } catch {
            fileSystem.discard(temporary, after: error)
            throw error
        }
    }

    /// Gives a durable file the name of a segment, in place of what has it, durably.
    private static func publish(
        _ temporary: FilePath, as path: FilePath, _ fileSystem: any FileSystem
    ) throws(FileError) {
        try fileSystem.rename(temporary, to: path, replacing: true)
        try fileSystem.synchronizeDirectory(path.removingLastComponent())
    }
}

extension SegmentWriter {
    /// Ends the segment as ``finish(_:)`` does, in a new file that takes its place. For batches that an earlier process
    /// may have failed to sync: the kernel calls them clean, and even when they are written once more in place, `ext4`
    /// may never turn the blocks that it had reserved for them into written ones.
    func finishAnew(_ seal: SegmentSeal, _ fileSystem: any FileSystem, _ home: LogHome) throws(FileError) {
        let path = home.segment(header.first)
        let temporary = home.log.appending(name + LogHome.newSuffix)
        var copy = try PlainOutput(temporary, fileSystem)
        var place: UInt64 = 0
        while place < offset {
            let part = try file.bytes(at: place, count: Int(min(offset - place, UInt64(LogBounds.blockBytes))))
            if part.isEmpty { throw FileError("pread", path, .ioError) }
            try copy.append(part)
            place += UInt64(part.count)
        }
        try copy.append(seal.encoded(salt: header.salt))
        try copy.finish()
        // What was only in memory may have been let go since it was read and found right.
        let made = try fileSystem.open(temporary, .read)
        defer { made.close() }
        var cursor = SegmentCursor(header, made)
        while case .batch = try cursor.step() {}
        guard cursor.offset == offset, cursor.chain == chain else { throw FileError("pread", path, .ioError) }
        try Self.publish(temporary, as: path, fileSystem)
    }
}
