import LedgerModel
import LedgerTestSupport
import Testing

@testable import LedgerAria2

/// aria2's names: 64 bits in 16 digits.
struct GIDTests {
    @Test func `a name is made of a download's number, and leads back to it`() {
        var generator = SplitMix64(seed: 7)
        let scheme = GIDScheme(identity: "0123456789abcdef0123456789abcdef")
        for number in [0, 1, 2, .max] + (0..<1000).map({ _ in generator.next() }) {
            #expect(GIDScheme.unmix(GIDScheme.mix(number)) == number)
            let id = DownloadID(number)
            #expect(scheme.download(of: scheme.gid(of: id, identifier: nil)) == id)
        }
        let names = Set((1...10_000).map { scheme.gid(of: DownloadID($0), identifier: nil).description.prefix(6) })
        #expect(names.count > 9_000, "the first digits tell downloads apart that follow one another")
        let other = GIDScheme(identity: "fedcba9876543210")
        #expect(other.gid(of: DownloadID(1), identifier: nil) != scheme.gid(of: DownloadID(1), identifier: nil))
    }

    @Test func `a chosen name is 16 digits that are not all zero`() {
        #expect(GID(chosen: "00000000000000aa")?.description == "00000000000000aa")
        #expect(GID(chosen: "ABCDEFabcdef0123")?.description == "abcdefabcdef0123")
        for text in ["", "aa", "0000000000000000", "000000000000000g", "+0000000000000aa", "00000000000000aab"] {
            #expect(GID(chosen: text) == nil, "\(text)")
        }
        let scheme = GIDScheme(identity: "00")
        #expect(scheme.gid(of: DownloadID(5), identifier: "00000000000000aa") == GID(0xaa))
        #expect(
            scheme.gid(of: DownloadID(5), identifier: "an app's own") == scheme.gid(of: DownloadID(5), identifier: nil))
    }

    @Test func `first digits match the names that begin so, and no others`() throws {
        let name = GID(0xabcd_ef01_2345_6789)
        for count in 1...16 {
            let prefix = try #require(GIDPrefix(String(name.description.prefix(count))))
            #expect(prefix.matches(name))
            #expect(!prefix.matches(GID(name.value ^ 1 << UInt64(64 - 4 * count))))
            #expect((prefix.whole == name) == (count == 16))
        }
        #expect(GIDPrefix("f")?.matches(GID(.max)) ?? false)
        #expect(GIDPrefix("") == nil && GIDPrefix("0x1") == nil && GIDPrefix("-1") == nil)
    }
}
