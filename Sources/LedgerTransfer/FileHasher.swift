import LedgerModel

/// The hash functions over the bytes of one file: SHA-256, and a publisher's when that is another one.
struct FileHasher: Sendable {
    private var sha256 = HashFunction(.sha256)
    private var other: HashFunction?

    init(stated: Digest.Algorithm?) { other = stated.flatMap { $0 == .sha256 ? nil : HashFunction($0) } }

    mutating func update(_ bytes: RawSpan) {
        sha256.update(bytes)
        other?.update(bytes)
    }

    var sums: RunningDigest.Sums {
        let main = sha256.digest
        return RunningDigest.Sums(sha256: main, stated: other?.digest ?? main)
    }
}
