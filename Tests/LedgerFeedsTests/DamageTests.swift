import LedgerFeeds
import LedgerModel
import Testing

/// Documents cut short and damaged at random: each is read or refused, and nothing else happens.
struct DamageTests {
    static let samples = [Samples.podcast, Samples.atom, Samples.jsonFeed, Samples.catalog]

    @Test(arguments: samples) func `every beginning is read or refused`(_ text: String) throws {
        let bytes = Array(text.utf8)
        let whole = try Samples.read(text)
        for length in 0..<bytes.count {
            do throws(ListingProblem) {
                let listing = try ListingReader.read(Array(bytes[..<length]), mediaType: nil, base: Samples.base)
                // Only what stands behind the outermost element can be missing then.
                #expect(listing == whole)
            } catch {
                #expect(!error.message.isEmpty)
            }
        }
    }

    @Test(arguments: samples) func `flipped bytes are read or refused`(_ text: String) {
        let bytes = Array(text.utf8)
        var random = Seeded(state: 20_240_102)
        for _ in 0..<400 {
            var damaged = bytes
            for _ in 0..<Int.random(in: 1...8, using: &random) {
                damaged[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            do throws(ListingProblem) {
                let listing = try ListingReader.read(damaged, mediaType: nil, base: Samples.base)
                #expect(listing.entries.allSatisfy { !$0.guid.isEmpty && $0.length != 0 })
                #expect(Set(listing.entries.map(\.guid)).count == listing.entries.count)
            } catch {
                #expect(!error.message.isEmpty)
            }
        }
    }

    @Test(arguments: samples) func `marks in the wrong places are read or refused`(_ text: String) {
        let marks = [
            "<", ">", "&", ";", "\"", "'", "]]>", "<!--", "<![CDATA[", "</", "/>", "{", "]", ",", ":", "\u{301}",
        ]
        var random = Seeded(state: 7)
        for _ in 0..<200 {
            var damaged = Array(text.utf8)
            let place = Int.random(in: 0..<damaged.count, using: &random)
            let end = min(place + Int.random(in: 0...20, using: &random), damaged.count)
            damaged.replaceSubrange(place..<end, with: marks.randomElement(using: &random)?.utf8 ?? "".utf8)
            do throws(ListingProblem) { _ = try ListingReader.read(damaged, mediaType: nil, base: Samples.base) } catch
            {
                #expect(!error.message.isEmpty)
            }
        }
    }
}

/// The same numbers at each run (SplitMix64).
private struct Seeded: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
