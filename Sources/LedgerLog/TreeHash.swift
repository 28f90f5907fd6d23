import Crypto
import LedgerModel

/// A SHA-256 sum as a value without an allocation: a leaf, a node or a root of the tree.
package struct TreeHash: Hashable, Sendable, CustomStringConvertible {
    let a, b, c, d: UInt64

    /// Thirty-two zeros: where a hash is written before there is one.
    package static let zero = TreeHash(a: 0, b: 0, c: 0, d: 0)

    private init(a: UInt64, b: UInt64, c: UInt64, d: UInt64) {
        self.a = a
        self.b = b
        self.c = c
        self.d = d
    }

    init(reading bytes: Span<UInt8>, at offset: Int) {
        self.init(
            a: bytes.integer(at: offset), b: bytes.integer(at: offset + 8), c: bytes.integer(at: offset + 16),
            d: bytes.integer(at: offset + 24))
    }

    /// A hash of its 32 bytes; nil when there are fewer or more.
    package init?(_ bytes: some Sequence<UInt8>) {
        let all = [UInt8](bytes)
        guard all.count == 32 else { return nil }
        self.init(reading: all.span, at: 0)
    }

    /// The SHA-256 of `bytes`.
    package static func sha256(_ bytes: Span<UInt8>) -> TreeHash { sha256(bytes, Span()) }

    /// The SHA-256 of `bytes` and what follows them.
    static func sha256(_ bytes: Span<UInt8>, _ more: Span<UInt8>) -> TreeHash {
        var function = SHA256()
        unsafe bytes.withUnsafeBytes { unsafe function.update(bufferPointer: $0) }
        if !more.isEmpty { unsafe more.withUnsafeBytes { unsafe function.update(bufferPointer: $0) } }
        let digest = function.finalize()
        // A digest is nothing but its bytes. Its own `withUnsafeBytes` goes through three closures that are not
        // inlined: a twentieth of what verifying a log takes.
        precondition(MemoryLayout<SHA256Digest>.size == SHA256Digest.byteCount, "a digest is its bytes")
        return unsafe withUnsafeBytes(of: digest) { digest in
            unsafe TreeHash(
                a: digest.loadUnaligned(as: UInt64.self).littleEndian,
                b: digest.loadUnaligned(fromByteOffset: 8, as: UInt64.self).littleEndian,
                c: digest.loadUnaligned(fromByteOffset: 16, as: UInt64.self).littleEndian,
                d: digest.loadUnaligned(fromByteOffset: 24, as: UInt64.self).littleEndian)
        }
    }

    /// The 32 bytes.
    package var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(32)
        append(to: &bytes)
        return bytes
    }

    func append(to bytes: inout [UInt8]) {
        bytes.append(integer: a)
        bytes.append(integer: b)
        bytes.append(integer: c)
        bytes.append(integer: d)
    }

    /// Writes the 32 bytes at `offset`; traps outside of the span.
    @_lifetime(bytes: copy bytes)
    func store(to bytes: inout MutableSpan<UInt8>, at offset: Int) {
        bytes.store(a, at: offset)
        bytes.store(b, at: offset + 8)
        bytes.store(c, at: offset + 16)
        bytes.store(d, at: offset + 24)
    }

    package var description: String { bytes.hex }
}
