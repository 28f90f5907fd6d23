import LedgerModel
package import LedgerSystem
package import SystemPackage

/// Reads what the files of the log hold, one after the other by their names, and carries on past damage: those in the
/// archive that are not in `log/` any more, unpacked, and then those.
///
/// It asks neither manifest nor head, and believes no length before its checksum holds. Takes no lock; beside a writer
/// it may meet a batch that is just being written, and then calls it damage.
package struct RawReader: Sendable {
    private let fileSystem: any FileSystem
    private var paths: ArraySlice<FilePath>
    private var walk: RawWalk?

    /// A reader of the ledger at `home`, whose archive may stand elsewhere, or of an archive alone.
    /// - Throws: ``LogError``: `.absent`, `.io`.
    package init(home: FilePath, archive: FilePath? = nil, fileSystem: any FileSystem) throws(LogError) {
        self.fileSystem = fileSystem
        let own = LogHome(home, archive: archive)
        let names = try disk("list the segments") { () throws(FileError) -> [String]? in
            guard try fileSystem.status(of: own.log) != nil else { return nil }
            return try fileSystem.list(own.log).filter { SegmentName.first($0) != nil }.sorted()
        }
        let here = names == nil ? LogHome(home, archive: home) : own
        let inLog = Set((names ?? []).compactMap(SegmentName.first))
        var archived: Set<SequenceNumber> = []
        for directory in here.archives { archived.formUnion(try Manifest.archivedSegments(in: directory, fileSystem)) }
        let copies = try disk("look into the archive") { () throws(FileError) in
            var copies: [FilePath] = []
            for first in archived.subtracting(inLog).sorted() {
                if let copy = try here.archivedCopy(first, fileSystem) { copies.append(copy) }
            }
            return copies
        }
        guard names != nil || !copies.isEmpty else { throw .absent(home) }
        paths = (copies + (names ?? []).map { own.log.appending($0) })[...]
    }

    /// What stands next; nil at the end of the last file.
    /// - Throws: ``LogError``: `.io`.
    package mutating func next() throws(LogError) -> RawItem? {
        try disk("read a segment") { () throws(FileError) in
            while true {
                do throws(FileError) {
                    if let item = try walk?.next() { return item }
                } catch {
                    guard error.errno == .illegalByteSequence, let walk else { throw error }
                    walk.close()
                    self.walk = nil
                    return .damage(walk.rest, what: "the rest can not be unpacked")
                }
                walk?.close()
                walk = nil
                guard let path = paths.popFirst() else { return nil }
                guard let status = try fileSystem.status(of: path) else { continue }
                let name = path.lastComponent?.string ?? ""
                do throws(FileError) {
                    walk = try RawWalk(fileSystem, path, name)
                } catch {
                    // A compaction beside this may have taken it away.
                    if error.errno == .noSuchFileOrDirectory { continue }
                    guard error.errno == .illegalByteSequence else { throw error }
                    let whole = RawExtent(file: name, offset: 0, length: status.length)
                    return .damage(whole, what: "it can not be unpacked")
                }
            }
        }
    }
}

/// The walk through one file.
private struct RawWalk: Sendable {
    private let name: String
    private let length: UInt64
    private let salt: UInt32
    private let header: SegmentHeader?
    private var window: BlockWindow
    private var offset: UInt64 = 0
    private var isBegun = false
    /// What the next batch must repeat, and begin with; nil after damage.
    private var expected: (chain: UInt32, next: SequenceNumber)?

    /// What was not walked through.
    var rest: RawExtent { RawExtent(file: name, offset: offset, length: length - min(length, offset)) }

    init(_ fileSystem: any FileSystem, _ path: FilePath, _ name: String) throws(FileError) {
        let opened = try fileSystem.open(path, .read)
        let file: any File = SegmentFile.isPacked(path) ? try ArchivedFile(opened) : opened
        self.name = name
        length = try file.status().length
        window = BlockWindow(file)
        let bytes = try window.slice(at: 0, count: LogBounds.headerBytes)
        do throws(SegmentHeader.Fault) {
            let header = try SegmentHeader(decoding: bytes.span)
            self.header = header
            salt = header.salt
            expected = (header.chain, header.first)
        } catch {
            header = nil
            // The place of the salt: when it is whole, the batches can be told.
            salt = bytes.count >= 32 ? bytes.span.integer(at: 28) : 0
        }
    }

    func close() { window.file.close() }

    mutating func next() throws(FileError) -> RawItem? {
        guard isBegun else {
            isBegun = true
            offset = min(UInt64(LogBounds.headerBytes), length)
            return .segment(RawSegment(extent: RawExtent(file: name, offset: 0, length: length), header: header))
        }
        guard offset < length else { return nil }
        let start = try window.slice(at: offset, count: LogBounds.batchHeaderBytes)
        var fault = BatchFault.cut(length: LogBounds.batchHeaderBytes)
        if start.count == LogBounds.batchHeaderBytes {
            if let seal = try seal(start.span) { return seal }
            if let length = BatchReader.length(start.span) {
                let whole = try window.slice(at: offset, count: length)
                fault = .cut(length: length)
                if whole.count == length {
                    guard let found = BatchReader.fault(whole.span, salt: salt) else { return batch(whole) }
                    fault = found
                }
            } else {
                fault = .length(start.span.integer(at: 0))
            }
        }
        return try skip(fault)
    }

    private mutating func seal(_ start: Span<UInt8>) throws(FileError) -> RawItem? {
        guard let length = SegmentSeal.length(start) else { return nil }
        let whole = try window.slice(at: offset, count: length)
        guard let seal = SegmentSeal(decoding: whole.span, salt: salt) else { return nil }
        return .seal(seal, take(UInt64(length)))
    }

    /// A batch whose checksum holds.
    private mutating func batch(_ whole: ArraySlice<UInt8>) -> RawItem {
        let (chain, first): (UInt32, UInt64) = (whole.span.integer(at: 8), whole.span.integer(at: 16))
        guard let batch = BatchReader.decode(whole, at: offset) else {
            expected = nil
            return .damage(take(UInt64(whole.count)), what: "the batch " + BatchFault.records.sentence)
        }
        var misfit: String?
        if let expected, chain != expected.chain {
            misfit = BatchFault.chain(stored: chain, expected: expected.chain).sentence
        } else if let expected, first != expected.next.rawValue {
            misfit = BatchFault.sequence(stored: first, expected: expected.next.rawValue).sentence
        }
        var records: [RawBatch.Record] = []
        var place = offset + UInt64(LogBounds.batchHeaderBytes)
        for record in batch.records {
            let payload = offset + UInt64(record.payload.startIndex - whole.startIndex)
            let end = payload + UInt64(record.payload.count)
            records.append(
                RawBatch.Record(
                    extent: RawExtent(file: name, offset: place, length: end - place), payloadOffset: payload,
                    record: record))
            place = end
        }
        expected = (batch.checksum, batch.last.next)
        return .batch(
            RawBatch(extent: take(UInt64(whole.count)), records: records, root: batch.root, misfit: misfit))
    }

    /// What stands up to the next whole batch or seal, or to the end.
    private mutating func skip(_ fault: BatchFault) throws(FileError) -> RawItem {
        let start = offset
        let step = LogBounds.alignmentBytes
        var (place, dirtyEnd) = (start, start)
        while place < length {
            let part = try window.slice(at: place, count: Int(min(length - place, UInt64(LogBounds.blockBytes))))
            if part.isEmpty { break }
            for offset in stride(from: 0, to: part.count, by: step) {
                let word = part[(part.startIndex + offset)..<min(part.startIndex + offset + step, part.endIndex)]
                guard word.contains(where: { $0 != 0 }) else { continue }
                let here = place + UInt64(offset)
                if here > start, try SegmentTail.isWhole(&window, at: here, upTo: length, salt: salt, next: .zero) {
                    expected = nil
                    return .damage(take(here - start), what: "the batch " + fault.sentence)
                }
                dirtyEnd = here + UInt64(word.count)
            }
            place += UInt64(part.count)
        }
        guard dirtyEnd > start else { return .free(take(length - start)) }
        expected = nil
        return .damage(take(dirtyEnd - start), what: "the batch " + fault.sentence)
    }

    private mutating func take(_ count: UInt64) -> RawExtent {
        defer { offset += count }
        return RawExtent(file: name, offset: offset, length: count)
    }
}
