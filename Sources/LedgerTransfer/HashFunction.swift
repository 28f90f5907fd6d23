import Crypto
import LedgerModel

/// One hash function over bytes.
enum HashFunction: Sendable {
    case md5(Insecure.MD5)
    case sha1(Insecure.SHA1)
    case sha256(SHA256)
    case sha512(SHA512)

    init(_ algorithm: LedgerModel.Digest.Algorithm) {
        self =
            switch algorithm {
            case .md5: .md5(Insecure.MD5())
            case .sha1: .sha1(Insecure.SHA1())
            case .sha256: .sha256(SHA256())
            case .sha512: .sha512(SHA512())
            }
    }

    mutating func update(_ bytes: RawSpan) {
        unsafe bytes.withUnsafeBytes { buffer in
            switch self {
            case .md5(var hash):
                unsafe hash.update(bufferPointer: buffer)
                self = .md5(hash)
            case .sha1(var hash):
                unsafe hash.update(bufferPointer: buffer)
                self = .sha1(hash)
            case .sha256(var hash):
                unsafe hash.update(bufferPointer: buffer)
                self = .sha256(hash)
            case .sha512(var hash):
                unsafe hash.update(bufferPointer: buffer)
                self = .sha512(hash)
            }
        }
    }

    /// The sum of the bytes so far.
    var digest: LedgerModel.Digest {
        let (algorithm, bytes): (LedgerModel.Digest.Algorithm, [UInt8]) =
            switch self {
            case .md5(let hash): (.md5, Array(hash.finalize()))
            case .sha1(let hash): (.sha1, Array(hash.finalize()))
            case .sha256(let hash): (.sha256, Array(hash.finalize()))
            case .sha512(let hash): (.sha512, Array(hash.finalize()))
            }
        guard let digest = LedgerModel.Digest(algorithm, bytes) else {
            preconditionFailure("a hash function returns as many bytes as its algorithm has")
        }
        return digest
    }
}
