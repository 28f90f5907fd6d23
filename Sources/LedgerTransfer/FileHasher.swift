import Crypto
import LedgerModel

/// One or two hash functions over the same bytes.
struct FileHasher: Sendable {
    private var sha256 = SHA256()
    private var other: Other?

    private enum Other: Sendable {
        case md5(Insecure.MD5)
        case sha1(Insecure.SHA1)
        case sha512(SHA512)
    }

    init(stated: LedgerModel.Digest.Algorithm?) {
        switch stated {
        case nil, .sha256: other = nil
        case .md5: other = .md5(Insecure.MD5())
        case .sha1: other = .sha1(Insecure.SHA1())
        case .sha512: other = .sha512(SHA512())
        }
    }

    mutating func update(_ bytes: RawSpan) {
        unsafe bytes.withUnsafeBytes { buffer in
            unsafe sha256.update(bufferPointer: buffer)
            switch other {
            case nil: break
            case .md5(var hash):
                unsafe hash.update(bufferPointer: buffer)
                other = .md5(hash)
            case .sha1(var hash):
                unsafe hash.update(bufferPointer: buffer)
                other = .sha1(hash)
            case .sha512(var hash):
                unsafe hash.update(bufferPointer: buffer)
                other = .sha512(hash)
            }
        }
    }

    var sums: RunningDigest.Sums {
        let main = Self.digest(.sha256, Array(sha256.finalize()))
        switch other {
        case nil: return RunningDigest.Sums(sha256: main, stated: main)
        case .md5(let hash): return RunningDigest.Sums(sha256: main, stated: Self.digest(.md5, Array(hash.finalize())))
        case .sha1(let hash):
            return RunningDigest.Sums(sha256: main, stated: Self.digest(.sha1, Array(hash.finalize())))
        case .sha512(let hash):
            return RunningDigest.Sums(sha256: main, stated: Self.digest(.sha512, Array(hash.finalize())))
        }
    }

    private static func digest(_ algorithm: LedgerModel.Digest.Algorithm, _ bytes: [UInt8]) -> LedgerModel.Digest {
        guard let digest = LedgerModel.Digest(algorithm, bytes) else {
            preconditionFailure("a hash function returns as many bytes as its algorithm has")
        }
        return digest
    }
}
