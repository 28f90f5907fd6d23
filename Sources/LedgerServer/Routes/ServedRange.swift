import HTTPTypes
import LedgerAPI

/// Which bytes of a file an answer holds.
struct ServedRange: Hashable, Sendable {
    /// 200 or 206.
    let status: HTTPResponse.Status
    /// The bytes.
    let bytes: Range<UInt64>
    /// The value of `Content-Range`; nil for the whole.
    let contentRange: String?

    /// What a request asks of a file of `length` bytes under an entity tag. Several ranges are answered with the whole,
    /// as is a range whose `If-Range` names another entity, and a field that can not be read (RFC 9110, section 14.2).
    /// - Throws: a ``Refusal`` 416 for a range that lies behind the end.
    init(_ fields: HTTPFields, length: UInt64, tag: String?) throws(Refusal) {
        let isMeant = fields[.ifRange].map { $0 == tag } ?? true
        guard isMeant, let text = fields[.range], let range = Self.parse(text, length: length) else {
            (status, bytes, contentRange) = (.ok, 0..<length, nil)
            return
        }
        guard !range.isEmpty else {
            throw Refusal(
                .rangeNotSatisfiable,
                Problem(.usage, "the range lies behind the end of the file's \(length) bytes", exitCode: .usage),
                fields: [.contentRange: "bytes */\(length)"])
        }
        (status, bytes) = (.partialContent, range)
        contentRange = "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(length)"
    }

    /// The one range of a field; empty when it lies behind the end, nil when there is not exactly one that can be read.
    private static func parse(_ text: String, length: UInt64) -> Range<UInt64>? {
        guard text.lowercased().hasPrefix("bytes=") else { return nil }
        let spec = text.dropFirst(6)
        let parts = spec.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, !spec.contains(",") else { return nil }
        let isDigits = parts.allSatisfy { $0.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } }
        guard isDigits else { return nil }
        if parts[0].isEmpty {
            guard let count = UInt64(parts[1]) else { return nil }
            return length - min(count, length)..<length
        }
        guard let first = UInt64(parts[0]) else { return nil }
        if parts[1].isEmpty { return min(first, length)..<length }
        guard let last = UInt64(parts[1]), last >= first else { return nil }
        guard first < length else { return length..<length }
        return first..<min(last, length - 1) + 1
    }
}
