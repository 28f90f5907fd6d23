import LedgerModel

/// aria2's name of a download: 64 bits, written as 16 hexadecimal digits.
struct GID: Hashable, Comparable, Sendable, CustomStringConvertible {
    let value: UInt64

    init(_ value: UInt64) { self.value = value }

    /// The GID that a client chose: 16 digits that are not all zero. Nil for anything else.
    init?(chosen text: String) {
        guard text.utf8.count == 16, let value = Self.value(of: text), value != 0 else { return nil }
        self.init(value)
    }

    var description: String {
        let digits = String(value, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    static func < (one: GID, other: GID) -> Bool { one.value < other.value }

    fileprivate static func value(of text: String) -> UInt64? {
        guard text.utf8.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }) else { return nil }
        return UInt64(text, radix: 16)
    }
}

/// The first digits of a GID: whoever types one need not type all of it.
struct GIDPrefix: Hashable, Sendable {
    private let low: UInt64
    private let high: UInt64

    /// Nil for what is no start of a GID.
    init?(_ text: String) {
        let count = text.utf8.count
        guard (1...16).contains(count), let value = GID.value(of: text) else { return nil }
        let shift = UInt64(64 - 4 * count)
        low = value << shift
        high = low | (shift == 0 ? 0 : (1 << shift) - 1)
    }

    /// The GID, when it is whole.
    var whole: GID? { low == high ? GID(low) : nil }

    func matches(_ gid: GID) -> Bool { low <= gid.value && gid.value <= high }
}

/// Which GID each download of a ledger has: what a client chose, which the order records, or a number made of the
/// download's own, so that it is the same after each start, in each process and on each machine that has the log.
///
/// That number is mixed: downloads follow one another, and prefixes of GIDs should tell them apart.
struct GIDScheme: Sendable {
    private let seed: UInt64

    /// The scheme of the ledger of this identity.
    init(identity: String) { seed = UInt64(identity.prefix(16), radix: 16) ?? 0 }

    func gid(of download: Download) -> GID {
        gid(of: download.id, identifier: download.order.labels.value.identifier)
    }

    func gid(of id: DownloadID, identifier: String?) -> GID {
        identifier.flatMap(GID.init(chosen:)) ?? GID(Self.mix(id.rawValue ^ seed))
    }

    /// The download whose number makes a GID; it need not exist.
    func download(of gid: GID) -> DownloadID { DownloadID(Self.unmix(gid.value) ^ seed) }

    // The finalizer of SplitMix64, which is a bijection, and its inverse.
    private static let (first, second) = (UInt64(0xBF58_476D_1CE4_E5B9), UInt64(0x94D0_49BB_1331_11EB))

    static func mix(_ number: UInt64) -> UInt64 {
        var number = number
        number = (number ^ number >> 30) &* first
        number = (number ^ number >> 27) &* second
        return number ^ number >> 31
    }

    static func unmix(_ number: UInt64) -> UInt64 {
        var number = unshift(number, 31) &* inverse(second)
        number = unshift(number, 27) &* inverse(first)
        return unshift(number, 30)
    }

    /// Undoes `x ^ x >> count`.
    private static func unshift(_ number: UInt64, _ count: UInt64) -> UInt64 {
        var result = number
        for _ in 0..<(64 / count) { result = number ^ result >> count }
        return result
    }

    /// The inverse of an odd number modulo 2^64, by Newton's iteration: each step doubles the right bits, from three.
    private static func inverse(_ odd: UInt64) -> UInt64 {
        var inverse = odd
        for _ in 0..<5 { inverse = inverse &* (2 &- odd &* inverse) }
        return inverse
    }
}
