import LedgerModel

/// Keeps one `String`, one `Labels` and one `TransferOptions` for each distinct value among many events.
///
/// A cache of fixed size: a value whose place is taken replaces the older one, so memory is bounded whatever is
/// decoded, and the worst that happens is a second copy of a value.
package struct Interner: Sendable {
    /// How many texts are kept at most.
    package static let textsMax = 4096
    /// How many label sets and how many option sets are kept at most.
    package static let sharedValuesMax = 1024
    /// Longer values are not kept: they are hardly ever equal.
    package static let valueBytesMax = 512

    private var texts: [String?]
    private var labels = Cache<Labels>()
    private var options = Cache<TransferOptions>()

    /// An empty cache of about 150 kB.
    package init() {
        texts = Array(repeating: nil, count: Self.textsMax)
    }

    /// The text of these bytes; nil when they are not UTF-8.
    package mutating func string(_ bytes: Span<UInt8>) -> String? {
        guard bytes.count <= Self.valueBytesMax else { return String(checking: bytes) }
        let place = Self.hash(bytes) & (Self.textsMax - 1)
        if let kept = texts[place], kept.utf8.span.isEqual(to: bytes) { return kept }
        guard let text = String(checking: bytes) else { return nil }
        texts[place] = text
        return text
    }

    /// The labels in a field, decoded at most once while they are kept.
    mutating func labels(_ field: FieldView) throws(CodingError) -> Shared<Labels> {
        let bytes = try field.bytes()
        if let kept = labels[bytes] { return kept }
        let value = Shared(try Labels.decode(FieldReader(bytes), &self))
        labels.keep(value, for: bytes)
        return value
    }

    /// The options in a field, decoded at most once while they are kept.
    mutating func options(_ field: FieldView) throws(CodingError) -> Shared<TransferOptions> {
        let bytes = try field.bytes()
        if let kept = options[bytes] { return kept }
        let value = Shared(try TransferOptions.decode(FieldReader(bytes), &self))
        options.keep(value, for: bytes)
        return value
    }

    /// Shared values by the bytes they were decoded from.
    private struct Cache<Value: Hashable & Sendable>: Sendable {
        private var keys: [[UInt8]] = Array(repeating: [], count: sharedValuesMax)
        private var values: [Shared<Value>?] = Array(repeating: nil, count: sharedValuesMax)

        subscript(bytes: Span<UInt8>) -> Shared<Value>? {
            let place = hash(bytes) & (sharedValuesMax - 1)
            let key = keys[place]
            return key.span.isEqual(to: bytes) ? values[place] : nil
        }

        mutating func keep(_ value: Shared<Value>, for bytes: Span<UInt8>) {
            guard bytes.count <= valueBytesMax else { return }
            let place = hash(bytes) & (sharedValuesMax - 1)
            (keys[place], values[place]) = (Array(copying: bytes), value)
        }
    }

    /// Eight bytes at a time, each multiplied into what is there: enough to spread a few thousand places.
    private static func hash(_ bytes: Span<UInt8>) -> Int {
        var hash = UInt64(bytes.count)
        func mix(_ word: UInt64) {
            hash = (hash ^ word) &* 0x9E37_79B9_7F4A_7C15
            hash ^= hash >> 32
        }
        var place = 0
        while place + 8 <= bytes.count {
            mix(bytes.word(at: place))
            place += 8
        }
        var rest: UInt64 = 0
        while place < bytes.count {
            rest = rest << 8 | UInt64(bytes[place])
            place += 1
        }
        mix(rest)
        return Int(truncatingIfNeeded: hash)
    }
}
