package import LedgerModel

/// The projections to bytes and back: what a snapshot holds, and what the state's digest is taken of.
///
/// Canonical: equal states give equal bytes, in whatever order their dictionaries are. Indexes and the catalog are
/// functions of the downloads and are not stored.
package enum StateCoding {
    /// Encodes a state: 1 projection version, 2 sequence, 3 highest rank, 4 lowest rank, 5 each download by ascending
    /// id, 6 each undo entry, 7 each answer, both oldest first, 8 statistics, 9 the library, unless it is empty.
    package static func encode(_ state: LedgerState) -> [UInt8] { encode(state, includingPlace: true) }

    /// What the digest is taken of: the same without the sequence and the answers, which maintenance moves on while
    /// queue and catalog stay what they are.
    package static func canonical(_ state: LedgerState) -> [UInt8] { encode(state, includingPlace: false) }

    private static func encode(_ state: LedgerState, includingPlace: Bool) -> [UInt8] {
        let image = state.queue.image
        var writer = FieldWriter(capacity: 256 + image.downloads.count * 256)
        writer.uint(1, LedgerState.version)
        if includingPlace { writer.uint(2, image.sequence.rawValue) }
        writer.int(3, image.rankMax)
        writer.int(4, image.rankMin)
        for download in image.downloads { writer.nested(5) { download.encode(into: &$0) } }
        for entry in image.undoable { writer.nested(6) { entry.encode(into: &$0) } }
        for answer in image.answers where includingPlace { writer.nested(7) { answer.encode(into: &$0) } }
        writer.nested(8) { state.statistics.encode(into: &$0) }
        if !state.library.isEmpty { writer.nested(9) { state.library.encode(into: &$0) } }
        return writer.bytes
    }

    /// What a snapshot holds of one download.
    package static func encode(_ download: Download) -> [UInt8] {
        var writer = FieldWriter(capacity: 256)
        download.encode(into: &writer)
        return writer.bytes
    }

    /// The downloads of some of a state's fields, and the length of their files together; or the first thing that is
    /// wrong with them.
    fileprivate typealias Decoded = Result<(downloads: DownloadTable, fileBytes: UInt64), CodingError>

    /// How many downloads are decoded in one part.
    private static let partDownloadsMax = 4096

    /// Decodes what ``encode(_:)`` wrote.
    ///
    /// - Parameter work: decodes the downloads part by part and builds the indexes of the queue but for the names:
    ///   where there are threads, several at once.
    /// - Throws: ``CodingError`` for anything that is not a whole state of this program's projections; a snapshot is a
    ///   cache, so the caller then folds the log anew.
    package static func decode(
        _ bytes: ArraySlice<UInt8>, by work: some WorkMap = SerialMap()
    ) throws(CodingError) -> LedgerState {
        var reader = FieldReader(bytes.span)
        let version = try reader.required(1).uint(as: UInt16.self)
        guard version == LedgerState.version else {
            throw CodingError(.otherProjection(known: LedgerState.version, found: version))
        }
        var image = QueueImage(
            sequence: SequenceNumber(try reader.required(2).count()), downloads: DownloadTable(), undoable: [],
            answers: [], rankMax: try reader.required(3).int(),
            rankMin: try reader.required(4).int())
        // Each is a run of whole fields, to be read beside the others.
        var (parts, start, count) = ([ArraySlice<UInt8>](), reader.offset, 0)
        while try reader.optional(5) != nil {
            count += 1
            guard count.isMultiple(of: partDownloadsMax) else { continue }
            parts.append(bytes.dropFirst(start).prefix(reader.offset - start))
            start = reader.offset
        }
        parts.append(bytes.dropFirst(start).prefix(reader.offset - start))
        let bounds = image
        var room = Field.countMax
        for decoded in work.map(parts, { decode($0, within: bounds) }) {
            let part = try decoded.get()
            guard part.fileBytes <= room else { throw CodingError(.badValue(field: 5)) }
            room -= part.fileBytes
            try image.take(part.downloads)
        }
        try image.decodeUndo(&reader)
        try image.decodeAnswers(&reader)
        let statistics = try Statistics.decode(try reader.required(8).nested())
        let library = try reader.optional(9) { field throws(CodingError) in
            try Library.decode(try field.nested())
        }
        guard reader.isAtEnd else { throw CodingError(.badValue(field: 8)) }
        return LedgerState(queue: image, statistics: statistics, library: library ?? Library(), by: work)
    }
}

extension StateCoding {
    /// The downloads of a part, each of which `image` can hold.
    fileprivate static func decode(_ part: ArraySlice<UInt8>, within image: QueueImage) -> Decoded {
        var (reader, interner) = (FieldReader(part.span), Interner())
        var (table, last, fileBytes) = (DownloadTable(), SequenceNumber.zero, UInt64(0))
        do throws(CodingError) {
            while let field = try reader.optional(5) {
                let download = try Download.decode(try field.nested(), &interner)
                let length = download.shownLength ?? 0
                guard last < download.id.sequence, download.id.sequence <= image.sequence,
                    image.rankMin <= download.rank, download.rank <= image.rankMax,
                    length <= Field.countMax - fileBytes
                else { throw CodingError(.badValue(field: 5)) }
                last = download.id.sequence
                fileBytes += length
                table.append(consume download)
            }
        } catch { return .failure(error) }
        return .success((table, fileBytes))
    }
}

extension QueueImage {
    /// Takes the next downloads.
    fileprivate mutating func take(_ some: DownloadTable) throws(CodingError) {
        if let first = some.first, let last = downloads.last, last.id >= first.id {
            throw CodingError(.badValue(field: 5))
        }
        downloads.append(some)
    }

    fileprivate mutating func decodeUndo(_ reader: inout FieldReader) throws(CodingError) {
        var interner = Interner()
        while let field = try reader.optional(6) {
            let entry = try UndoEntry.decode(try field.nested(), &interner)
            guard undoable.count < Queue.undoEntriesMax, downloads.contains(entry.id), entry.sequence <= sequence else {
                throw field.badValue
            }
            undoable.append(entry)
        }
    }

    fileprivate mutating func decodeAnswers(_ reader: inout FieldReader) throws(CodingError) {
        while let field = try reader.optional(7) {
            let answer = try Answer.decode(try field.nested())
            // What a command made at once is one answer.
            guard answers.count < Queue.commandsMax, answers.last?.command != answer.command,
                answer.answer.first <= sequence
            else { throw field.badValue }
            answers.append(answer)
        }
    }
}
