import LedgerModel
import LedgerSystem

/// The hash functions over the bytes of one file: SHA-256, a publisher's when that is another one, and the CRC-32C that
/// tells whether the bytes are those that were written.
struct FileHasher: Sendable {
    private var sha256 = HashFunction(.sha256)
    private var other: HashFunction?
    private var crc32c: UInt32 = 0

    init(stated: Digest.Algorithm?) { other = stated.flatMap { $0 == .sha256 ? nil : HashFunction($0) } }

    mutating func update(_ bytes: RawSpan) {
        sha256.update(bytes)
        other?.update(bytes)
        crc32c = CRC32C.checksum(bytes, seed: crc32c)
    }

    var sums: RunningDigest.Sums {
        let main = sha256.digest
        return RunningDigest.Sums(sha256: main, stated: other?.digest ?? main, crc32c: crc32c)
    }
}
