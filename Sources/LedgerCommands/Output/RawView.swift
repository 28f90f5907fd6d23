import LedgerCoding
import LedgerHolder
import LedgerLog
import LedgerModel
import LedgerViews

/// What stands in the files of the log, as `replay --raw` prints it.
struct RawView {
    /// Bytes of payload in one line of a dump.
    static let bytesPerLine = 16

    /// Whether a record is shown.
    let isShown: @Sendable (StoredRecord) -> Bool

    /// The lines of an item for people; none of a batch whose records are not shown.
    func lines(_ item: RawItem) -> [String] {
        let extent = item.extent
        let place = Self.column(extent.offset)
        switch item {
        case .segment(let segment):
            var line = "\(extent.file): \(Figures.counted(extent.length, "byte"))"
            if let header = segment.header {
                line += ", ledger \(header.identity), segment \(header.ordinal), begins with event \(header.first)"
            } else {
                line += ", its header is damaged or of another format"
            }
            return [line]
        case .batch(let batch):
            let shown = batch.records.filter { isShown($0.record) }
            guard !shown.isEmpty || batch.misfit != nil else { return [] }
            var lines = [
                "\(place)  batch, \(Figures.counted(extent.length, "byte")), events \(batch.first) to \(batch.last),"
                    + " root \(batch.root)"
            ]
            if let misfit = batch.misfit { lines.append("\(place)  this batch \(misfit)") }
            return lines + shown.flatMap(Self.lines)
        case .seal(let seal, _):
            return [
                "\(place)  seal, \(Figures.counted(extent.length, "byte")), events \(seal.first) to \(seal.last),"
                    + " root \(seal.tree.root)"
            ]
        case .damage(_, let what):
            return ["\(place)  damage, \(Figures.counted(extent.length, "byte")): \(what)"]
        case .free: return ["\(place)  zeros, \(Figures.counted(extent.length, "byte")), to the end of the file"]
        }
    }

    /// An object for each item, and for each record that is shown.
    func json(_ item: RawItem) -> [JSONValue] {
        switch item {
        case .segment(let segment):
            var object = Self.object("segment", item.extent)
            object["ledger"] = JSONValue(segment.header?.identity.description)
            object["ordinal"] = JSONValue(segment.header?.ordinal)
            object["first"] = JSONValue(segment.header?.first.rawValue)
            return [.object(object)]
        case .batch(let batch):
            let shown = batch.records.filter { isShown($0.record) }
            guard !shown.isEmpty || batch.misfit != nil else { return [] }
            var object = Self.object("batch", item.extent)
            object.merge([
                "first": JSONValue(batch.first.rawValue), "last": JSONValue(batch.last.rawValue),
                "root": .string(batch.root.description), "misfit": JSONValue(batch.misfit),
            ])
            return [.object(object)] + shown.map(Self.json)
        case .seal(let seal, _):
            var object = Self.object("seal", item.extent)
            object.merge([
                "first": JSONValue(seal.first.rawValue), "last": JSONValue(seal.last.rawValue),
                "root": .string(seal.tree.root.description),
            ])
            return [.object(object)]
        case .damage(_, let words):
            var object = Self.object("damage", item.extent)
            object["words"] = .string(words)
            return [.object(object)]
        case .free: return [.object(Self.object("zeros", item.extent))]
        }
    }

    private static func json(_ place: RawBatch.Record) -> JSONValue {
        var object = object("record", place.extent)
        let record = place.record
        object.merge([
            "seq": JSONValue(record.sequence.rawValue), "time": .string(record.time.rfc3339),
            "type": .string(name(record)), "typeNumber": JSONValue(record.type),
            "version": JSONValue(record.version), "payloadOffset": JSONValue(place.payloadOffset),
            "payload": .string(Array(record.payload).hex),
        ])
        return .object(object)
    }

    private static func object(_ kind: String, _ extent: RawExtent) -> JSONObject {
        [
            "raw": .string(kind), "segment": .string(extent.file), "offset": JSONValue(extent.offset),
            "length": JSONValue(extent.length),
        ]
    }

    private static func lines(_ place: RawBatch.Record) -> [String] {
        let record = place.record
        let head =
            "\(column(place.extent.offset))  event \(record.sequence), \(Figures.counted(place.extent.length, "byte")),"
            + " \(name(record)) (type \(record.type)) version \(record.version), \(record.time.rfc3339)"
        return [head] + dump(record.payload, at: place.payloadOffset)
    }

    /// `offset  hex in two groups of eight  |text|`, sixteen bytes a line.
    private static func dump(_ payload: ArraySlice<UInt8>, at offset: UInt64) -> [String] {
        stride(from: payload.startIndex, to: payload.endIndex, by: bytesPerLine).map { start in
            let bytes = payload[start..<min(start + bytesPerLine, payload.endIndex)]
            var hex = ""
            for (index, byte) in bytes.enumerated() { hex += (index == 8 ? "  " : " ") + [byte].hex }
            let text = String(decoding: bytes.map { (32..<127).contains($0) ? $0 : UInt8(ascii: ".") }, as: UTF8.self)
            let width = 3 * bytesPerLine + 1
            return column(offset + UInt64(start - payload.startIndex)) + "    " + TextWidth.fitted(hex, to: width)
                + "  |\(text)|"
        }
    }

    private static func name(_ record: StoredRecord) -> String {
        switch record.hidden?.reason {
        case .thinned?: "content-thinned"
        case .redacted?: "content-redacted"
        case nil: Event.Kind(rawValue: record.type)?.name ?? "unknown"
        }
    }

    /// An offset, as wide as those of the largest segment.
    private static func column(_ offset: UInt64) -> String {
        TextWidth.fitted(Figures.count(offset), to: 11, rightAligned: true)
    }
}
