/// A `Content-Range` field (RFC 9110, section 14.4).
package enum ContentRange: Hashable, Sendable {
    /// These bytes of an entity of `total` bytes; nil when the origin wrote `*` for it.
    case slice(Range<UInt64>, total: UInt64?)
    /// `bytes */N`, the answer to a range outside the entity.
    case unsatisfied(total: UInt64)

    /// Parses `bytes FIRST-LAST/TOTAL`, `bytes FIRST-LAST/*` or `bytes */TOTAL`.
    /// - Throws: ``ContentRangeProblem`` for anything else; nothing of such an answer may be written.
    package static func parse(_ text: String) throws(ContentRangeProblem) -> ContentRange {
        var scanner = HeaderScanner(text)
        scanner.skipSpace()
        let unit = scanner.take(upTo: " \t=").trimmedText.lowercased()
        guard unit == "bytes" else { throw .otherUnit(unit) }
        _ = scanner.take("=")
        scanner.skipSpace()
        if scanner.take("*") {
            guard scanner.take("/"), let total = scanner.takeNumber() else { throw .malformed(text) }
            return .unsatisfied(total: total)
        }
        guard let first = scanner.takeNumber(), scanner.take("-"), let last = scanner.takeNumber(),
            scanner.take("/")
        else { throw .malformed(text) }
        let total: UInt64?
        if scanner.take("*") {
            total = nil
        } else {
            guard let number = scanner.takeNumber() else { throw .malformed(text) }
            total = number
        }
        scanner.skipSpace()
        guard scanner.isAtEnd else { throw .malformed(text) }
        guard first <= last, last < .max else { throw .inverted(first: first, last: last) }
        if let total, last >= total { throw .pastEnd(last: last, total: total) }
        return .slice(first..<last + 1, total: total)
    }

    /// What ``parse(_:)`` makes of a field; nil when it can not be believed, for callers who then start over anyway.
    package init?(reading text: String) {
        do throws(ContentRangeProblem) { self = try Self.parse(text) } catch { return nil }
    }
}

/// Why a `Content-Range` can not be believed.
package enum ContentRangeProblem: Error, Hashable, Sendable {
    case malformed(String)
    case otherUnit(String)
    case inverted(first: UInt64, last: UInt64)
    case pastEnd(last: UInt64, total: UInt64)
}
