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
    package mutating func string(_ bytes: ArraySlice<UInt8>) -> String? {
        guard bytes.count <= Self.valueBytesMax else { return String(checking: bytes) }
        let place = Self.hash(bytes) % texts.count
        if let kept = texts[place], kept.utf8.span.isEqual(to: bytes.span) { return kept }
        guard let text = String(checking: bytes) else { return nil }
        texts[place] = text
        return text
    }

    /// The labels in a field, decoded at most once while they are kept.
    mutating func labels(_ field: Field) throws(CodingError) -> Shared<Labels> {
        let bytes = try field.slice()
        if let kept = labels[bytes] { return kept }
        let value = Shared(try Labels.decode(FieldReader(bytes), &self))
        labels.keep(value, for: bytes)
        return value
    }

    /// The options in a field, decoded at most once while they are kept.
    mutating func options(_ field: Field) throws(CodingError) -> Shared<TransferOptions> {
        let bytes = try field.slice()
        if let kept = options[bytes] { return kept }
        let value = Shared(try TransferOptions.decode(FieldReader(bytes), &self))
        options.keep(value, for: bytes)
        return value
    }

    /// Shared values by the bytes they were decoded from.
    private struct Cache<Value: Hashable & Sendable>: Sendable {
        private var kept: [(bytes: [UInt8], value: Shared<Value>)?] = Array(repeating: nil, count: sharedValuesMax)

        subscript(bytes: ArraySlice<UInt8>) -> Shared<Value>? {
            guard let kept = kept[hash(bytes) % kept.count], kept.bytes.elementsEqual(bytes) else { return nil }
            return kept.value
        }

        mutating func keep(_ value: Shared<Value>, for bytes: ArraySlice<UInt8>) {
            if bytes.count <= valueBytesMax { kept[hash(bytes) % kept.count] = (Array(bytes), value) }
        }
    }

    /// FNV-1a, 32 bits: enough to spread a few thousand places.
    private static func hash(_ bytes: ArraySlice<UInt8>) -> Int {
        var hash: UInt32 = 2_166_136_261
        for byte in bytes { hash = (hash ^ UInt32(byte)) &* 16_777_619 }
        return Int(hash)
    }
}

extension String {
    /// The text of these bytes; nil when they are not UTF-8. `String(validating:as:)` costs more: it looks up at run
    /// time what kind of collection it was given.
    init?(checking bytes: ArraySlice<UInt8>) {
        do { self.init(copying: try UTF8Span(validating: bytes.span)) } catch { return nil }
    }
}

extension Span<UInt8> {
    /// Whether both hold the same bytes.
    func isEqual(to other: Span<UInt8>) -> Bool {
        guard count == other.count else { return false }
        for place in indices where self[place] != other[place] { return false }
        return true
    }
}
