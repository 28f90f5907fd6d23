import LedgerModel
import LedgerTransfer
import Testing

struct ChecksumListTests {
    private static func sum(_ algorithm: Digest.Algorithm, _ byte: UInt8 = 0xAB) throws -> Digest {
        try #require(Digest(algorithm, [UInt8](repeating: byte, count: algorithm.byteCount)))
    }

    private static func hex(_ bytes: Int, _ pair: String = "ab") -> String { String(repeating: pair, count: bytes) }

    private static func list(_ text: String) -> ChecksumList { ChecksumList(parsing: Array(text.utf8)) }

    /// A line, and the path and the algorithm it tells; nil for a line that is no sum.
    static let lines: [(String, path: String?, Digest.Algorithm?)] = [
        ("\(hex(32))  disk.iso", "disk.iso", .sha256), ("\(hex(32)) *disk.iso", "disk.iso", .sha256),
        ("\(hex(32)) disk.iso", "disk.iso", .sha256), ("\(hex(32))\tdisk.iso\r", "disk.iso", .sha256),
        ("\(hex(16))  a b.iso ", "a b.iso", .md5), ("\(hex(20))  ./sub/x", "./sub/x", .sha1),
        ("\(hex(64, "AB"))  x", "x", .sha512), ("\\\(hex(32))  a\\nb\\\\c", "a\nb\\c", .sha256),
        ("\(hex(32))", nil, .sha256), ("\(hex(32))  -", "-", .sha256), ("- \(hex(16))  x", "x", .md5),
        ("SHA256 (disk.iso) = \(hex(32))", "disk.iso", .sha256), ("MD5 (a (1).iso) = \(hex(16))", "a (1).iso", .md5),
        ("SHA2-512(x)= \(hex(64))", "x", .sha512), ("SHA1(x)= \(hex(20))", "x", .sha1),
        ("RMD160 (x) = \(hex(20))", nil, nil), ("SHA256 (x) = \(hex(31))", nil, nil), ("# \(hex(32))  x", nil, nil),
        ("\(hex(31))  x", nil, nil), ("\(hex(32))x", nil, nil), ("Hash: SHA256", nil, nil),
        ("-----BEGIN PGP SIGNED MESSAGE-----", nil, nil), ("", nil, nil), (")(", nil, nil),
    ]

    @Test(arguments: lines.indices) func `a line is a sum and a path, or nothing`(_ row: Int) throws {
        let (line, path, algorithm) = Self.lines[row]
        let entries = Self.list(line + "\n").entries
        guard let algorithm else { return #expect(entries.isEmpty, "\(line)") }
        #expect(entries.map(\.path) == [path], "\(line)")
        #expect(entries.map(\.digest) == [try Self.sum(algorithm)], "\(line)")
    }

    @Test func `what a clear-signed message holds is read, and its signature is not`() throws {
        let text = """
            -----BEGIN PGP SIGNED MESSAGE-----
            Hash: SHA512

            \(Self.hex(32))  disk.iso
            -----BEGIN PGP SIGNATURE-----
            \(Self.hex(32, "cd"))  other.iso
            -----END PGP SIGNATURE-----
            """
        #expect(Self.list(text).entries.count == 1)
        #expect(try Self.list(text).digest(of: "/pub/disk.iso", named: nil) == Self.sum(.sha256))
    }

    @Test func `the path that ends like the URL's is preferred, then the strongest sum`() throws {
        let text = """
            \(Self.hex(32, "01"))  i386/disk.iso
            \(Self.hex(16))  amd64/disk.iso
            \(Self.hex(32))  amd64/disk.iso
            \(Self.hex(32, "02"))  disk.iso.torrent
            """
        #expect(try Self.list(text).digest(of: "/debian/amd64/disk.iso", named: nil) == Self.sum(.sha256))
        #expect(try Self.list(text).digest(of: "/debian/i386/disk.iso", named: nil) == Self.sum(.sha256, 1))
        #expect(throws: ChecksumList.Problem.ambiguous("disk.iso")) {
            try Self.list(text).digest(of: "/disk.iso", named: nil)
        }
    }

    @Test func `a list that contradicts itself is not believed, whatever its strongest sum is`() throws {
        let text = "\(Self.hex(64))  disk.iso\n\(Self.hex(32, "01"))  disk.iso\n\(Self.hex(32))  disk.iso\n"
        #expect(throws: ChecksumList.Problem.ambiguous("disk.iso")) {
            try Self.list(text).digest(of: "/disk.iso", named: nil)
        }
        let twice = "\(Self.hex(32))  disk.iso\n\(Self.hex(32))  disk.iso\n"
        #expect(try Self.list(twice).digest(of: "/disk.iso", named: nil) == Self.sum(.sha256))
    }

    @Test func `a sum is found under the given name, or stands alone`() throws {
        let named = Self.list("\(Self.hex(32))  mine.iso\n\(Self.hex(32, "01"))  b\n")
        #expect(try named.digest(of: "/get.php", named: "mine.iso") == Self.sum(.sha256))
        #expect(try Self.list(Self.hex(32)).digest(of: "/x", named: nil) == Self.sum(.sha256))
        #expect(throws: ChecksumList.Problem.notListed("get.php")) {
            try named.digest(of: "/get.php", named: "other.iso")
        }
        #expect(throws: ChecksumList.Problem.notListed("x")) {
            try Self.list("\(Self.hex(32))  y").digest(of: "/x", named: nil)
        }
        #expect(throws: ChecksumList.Problem.empty) { try Self.list("<html>").digest(of: "/x", named: nil) }
    }
}
