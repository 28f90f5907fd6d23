import Crypto
import LedgerModel

/// SHA-256 of the lines of an exported log between its first and its last, each with its end: `sed '1d;$d'` and
/// `sha256sum` compute the same. The state does not tell of each time, actor and command; this does.
struct LinesDigest {
    private var function = SHA256()

    /// Takes the next line with its end, as it is written; one that was read is taken as it would be.
    mutating func take(_ line: String) { function.update(data: Array(line.utf8)) }

    /// The digest of the lines so far.
    var digest: LedgerModel.Digest {
        guard let digest = LedgerModel.Digest(.sha256, Array(function.finalize())) else {
            preconditionFailure("SHA-256 has 32 bytes")
        }
        return digest
    }
}
