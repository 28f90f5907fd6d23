import LedgerModel
import Testing

/// Checksums, names of commands and kinds of content as text.
struct DigestTests {
    static let parsed: [(String, Digest.Algorithm)] = [
        ("sha-256=" + String(repeating: "0a", count: 32), .sha256),
        ("SHA256:" + String(repeating: "FF", count: 32), .sha256),
        ("sha_256=" + String(repeating: "00", count: 32), .sha256), ("md5=" + String(repeating: "ab", count: 16), .md5),
        ("sha1=" + String(repeating: "ab", count: 20), .sha1),
        ("Sha-512=" + String(repeating: "ab", count: 64), .sha512),
    ]

    @Test(arguments: parsed) func `a sum with its algorithm`(_ text: String, _ algorithm: Digest.Algorithm) throws {
        let digest = try #require(Digest(parsing: text))
        #expect(digest.algorithm == algorithm)
        #expect(digest.description == algorithm.rawValue + ":" + text.suffix(algorithm.byteCount * 2).lowercased())
        #expect(Digest(parsing: digest.description) == digest)
    }

    static let refused = [
        "", "sha-256", "sha-256=", "=00", "crc32=00000000", "md5=" + String(repeating: "a", count: 31),
        "md5=" + String(repeating: "a", count: 33), "md5=" + String(repeating: "g", count: 32),
        "md5= " + String(repeating: "a", count: 32), "md5=" + String(repeating: "ab", count: 20),
    ]

    @Test(arguments: refused) func `what is no sum`(_ text: String) { #expect(Digest(parsing: text) == nil) }

    @Test func `a sum has its algorithm's length`() {
        for algorithm in Digest.Algorithm.allCases {
            #expect(Digest(algorithm, [UInt8](repeating: 0, count: algorithm.byteCount)) != nil)
            #expect(Digest(algorithm, [UInt8](repeating: 0, count: algorithm.byteCount - 1)) == nil)
        }
    }

    @Test func `hexadecimal goes both ways`() {
        let bytes = (0...255).map { UInt8($0) }
        #expect([UInt8](hex: bytes.hex) == bytes && [UInt8](hex: bytes.hex.uppercased()) == bytes)
        #expect(
            [UInt8](hex: "") == [] && [UInt8](hex: "0") == nil && [UInt8](hex: "0x") == nil && [UInt8](hex: "é") == nil)
    }

    @Test func `the name of a command goes both ways`() {
        let name = CommandID(high: 0x0123_4567_89ab_cdef, low: 1)
        #expect(name.description == "0123456789abcdef0000000000000001")
        #expect(CommandID(parsing: name.description) == name)
        #expect(CommandID(parsing: "01234567-89AB-CDEF-0000-000000000001") == name)
        for text in ["", "0123", name.description + "00", "g123456789abcdef0000000000000001"] {
            #expect(CommandID(parsing: text) == nil)
        }
    }
}
