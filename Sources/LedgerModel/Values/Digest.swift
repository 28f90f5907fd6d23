/// A checksum with its algorithm, written `sha-256:hex` in rows and events.
package struct Digest: Hashable, Sendable, CustomStringConvertible {
    /// The algorithms a publisher may state, by their names in RFC 9530 and in older lists.
    package enum Algorithm: String, Hashable, Sendable, CaseIterable {
        case md5
        case sha1 = "sha-1"
        case sha256 = "sha-256"
        case sha512 = "sha-512"

        /// The length of the sum in bytes.
        package var byteCount: Int {
            switch self {
            case .md5: 16
            case .sha1: 20
            case .sha256: 32
            case .sha512: 64
            }
        }

        /// The algorithm of a name as people write it: any case, with or without the hyphen.
        package init?(named name: String) {
            let plain = name.lowercased().filter { $0 != "-" && $0 != "_" }
            guard let match = Self.allCases.first(where: { $0.rawValue.filter { $0 != "-" } == plain }) else {
                return nil
            }
            self = match
        }
    }

    /// Which function made the sum.
    package let algorithm: Algorithm
    /// The sum; exactly ``Algorithm/byteCount`` bytes.
    package let bytes: [UInt8]

    /// A sum that a hash function returned. Returns nil when the length is not the algorithm's.
    package init?(_ algorithm: Algorithm, _ bytes: [UInt8]) {
        guard bytes.count == algorithm.byteCount else { return nil }
        self.algorithm = algorithm
        self.bytes = bytes
    }

    /// Parses `ALGORITHM=HEX` or `ALGORITHM:HEX`. Returns nil when the name, the digits or the length are off.
    package init?(parsing text: String) {
        guard let separator = text.firstIndex(where: { $0 == "=" || $0 == ":" }),
            let algorithm = Algorithm(named: String(text[..<separator])),
            let bytes = [UInt8](hex: text[text.index(after: separator)...])
        else { return nil }
        self.init(algorithm, bytes)
    }

    /// The sum in lower-case hexadecimal.
    package var hex: String { bytes.hex }

    package var description: String { algorithm.rawValue + ":" + hex }
}

extension [UInt8] {
    /// Lower-case hexadecimal, two digits a byte.
    package var hex: String {
        func digit(_ value: UInt8) -> UInt8 { value < 10 ? 48 + value : 87 + value }
        var text = [UInt8](repeating: 0, count: count * 2)
        for (place, byte) in enumerated() {
            text[2 * place] = digit(byte >> 4)
            text[2 * place + 1] = digit(byte & 15)
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Parses an even number of hexadecimal digits of either case; nil for anything else.
    package init?(hex: some StringProtocol) {
        var bytes: [UInt8] = []
        var high: UInt8?
        for digit in hex.utf8 {
            let value: UInt8
            switch digit {
            case 48...57: value = digit - 48
            case 65...70: value = digit - 55
            case 97...102: value = digit - 87
            default: return nil
            }
            if let held = high {
                bytes.append(held << 4 | value)
                high = nil
            } else {
                high = value
            }
        }
        guard high == nil else { return nil }
        self = bytes
    }
}
