package import LedgerModel

/// The digests that an answer states of the whole entity: `Repr-Digest` (RFC 9530) and `Digest` (RFC 3230).
///
/// `Content-Digest` is of the bytes of one answer, which may be a slice: it is not read.
package enum StatedDigest {
    /// The one by the strongest algorithm; of equal algorithms the first.
    package static func strongest(of digests: [Digest]) -> Digest? {
        var best: Digest?
        for digest in digests where best.map({ $0.algorithm.strength < digest.algorithm.strength }) ?? true {
            best = digest
        }
        return best
    }

    /// Reads a dictionary of byte sequences (RFC 9651), `sha-256=:BASE64:, sha-512=:BASE64:`, in the order it stands.
    package static func parse(_ text: String) -> [Digest] {
        members(text).compactMap { name, value in
            guard value.count >= 2, value.first == UInt8(ascii: ":"), value.last == UInt8(ascii: ":") else {
                return nil
            }
            return make(name, value.dropFirst().dropLast())
        }
    }

    /// Reads instance digests, `SHA-256=BASE64,md5=BASE64`, in the order they stand.
    package static func parseInstance(_ text: String) -> [Digest] { members(text).compactMap(make) }

    /// The members of a list, `NAME=VALUE`; their parameters are dropped.
    private static func members(_ text: String) -> [(name: String, value: ArraySlice<UInt8>)] {
        var scanner = HeaderScanner(text)
        var members: [(name: String, value: ArraySlice<UInt8>)] = []
        while !scanner.isAtEnd {
            scanner.skipSpace()
            let name = scanner.take(upTo: "=,;").trimmedText.lowercased()
            if scanner.take("=") { members.append((name, Array(scanner.take(upTo: ",;").trimmedText.utf8)[...])) }
            _ = scanner.take(upTo: ",")
            _ = scanner.take(",")
        }
        return members
    }

    private static func make(_ name: String, _ value: ArraySlice<UInt8>) -> Digest? {
        guard let algorithm = name == "sha" ? .sha1 : Digest.Algorithm(named: name),
            let bytes = bytes(ofBase64: value)
        else { return nil }
        return Digest(algorithm, bytes)
    }
}

extension Digest.Algorithm {
    /// How hard it is to find another file with the same sum; higher is harder.
    package var strength: Int {
        switch self {
        case .md5: 0
        case .sha1: 1
        case .sha256: 2
        case .sha512: 3
        }
    }
}
