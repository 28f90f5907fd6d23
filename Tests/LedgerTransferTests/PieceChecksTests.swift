import LedgerModel
import LedgerSystem
import LedgerTestSupport
import LedgerTransfer
import SystemPackage
import Testing

/// Pieces of a file, hashed as they become whole.
@Suite struct PieceChecksTests {
    static let bytes = OriginEntity.pattern(1000)

    private func hashes(_ pieceLength: Int, count: Int) throws -> PieceHashes {
        let digest = try #require(Digest(parsing: "md5=d41d8cd98f00b204e9800998ecf8427e"))
        return try #require(
            PieceHashes(
                .md5, pieceLength: UInt64(pieceLength), bytes: (0..<count).flatMap { _ in digest.bytes }))
    }

    private func checks(_ pieceLength: Int = 300, length: UInt64 = 1000) throws -> PieceChecks {
        try #require(PieceChecks(try hashes(pieceLength, count: 4), length: length))
    }

    @Test func `hashes of another file are not used`() throws {
        let hashes = try hashes(300, count: 4)
        for (length, fits) in [(900, false), (901, true), (1200, true), (1201, false)] as [(UInt64, Bool)] {
            #expect((PieceChecks(hashes, length: length) != nil) == fits)
        }
        let long = try self.hashes(Int(PieceChecks.pieceBytesMax) + 1, count: 1)
        #expect(PieceChecks(long, length: 5) == nil)
    }

    @Test func `a piece is due once it is whole, and again until it is right`() throws {
        var checks = try checks()
        #expect(checks.due(in: ByteRangeSet()) == nil)
        #expect(checks.due(in: ByteRangeSet(0..<299)) == nil)
        #expect(checks.due(in: ByteRangeSet(1..<599)) == nil)
        let first = try #require(checks.due(in: ByteRangeSet(0..<601)))
        #expect(first.index == 0 && first.range == 0..<300)
        #expect(checks.due(in: ByteRangeSet(0..<601)) == first)
        checks.passed(first)
        #expect(checks.due(in: ByteRangeSet(0..<599)) == nil)
        let second = try #require(checks.due(in: ByteRangeSet(0..<601)))
        #expect(second.range == 300..<600)
        checks.passed(second)
        #expect(checks.due(in: ByteRangeSet(0..<999)) != nil)
        let last = try #require(checks.due(in: ByteRangeSet([0..<700, 899..<1000])))
        #expect(last.index == 3 && last.range == 900..<1000)
        #expect(checks.right == ByteRangeSet(0..<600))
        checks.passed(last)
        #expect(checks.right == ByteRangeSet([0..<600, 900..<1000]))
        #expect(!checks.isComplete)
        checks.passed(try #require(checks.due(in: ByteRangeSet(0..<1000))))
        #expect(checks.isComplete && checks.due(in: ByteRangeSet(0..<1000)) == nil)
    }

    @Test func `in any order every piece is checked once`() throws {
        var random = SplitMix64(seed: 40)
        for _ in 0..<200 {
            var checks = try checks()
            var (written, seen) = (ByteRangeSet(), [Int]())
            while !checks.isComplete {
                let start = UInt64.random(in: 0..<1000, using: &random)
                written.insert(start..<min(1000, start + UInt64.random(in: 1...400, using: &random)))
                while let piece = checks.due(in: written) {
                    #expect(written.contains(piece.range))
                    seen.append(piece.index)
                    checks.passed(piece)
                }
            }
            #expect(seen.sorted() == [0, 1, 2, 3])
        }
    }

    @Test func `sets of bytes are intersected and taken from as sets are`() {
        var random = SplitMix64(seed: 41)
        func set() -> ByteRangeSet {
            var set = ByteRangeSet()
            for _ in 0..<Int.random(in: 0...4, using: &random) {
                let start = UInt64.random(in: 0..<30, using: &random)
                set.insert(start..<start + UInt64.random(in: 0..<8, using: &random))
            }
            return set
        }
        for _ in 0..<500 {
            let (one, other) = (set(), set())
            let common = one.intersection(other)
            let start = UInt64.random(in: 0..<30, using: &random)
            let hole = start..<start + UInt64.random(in: 0..<8, using: &random)
            let rest = one.subtracting(hole)
            for byte in UInt64(0)..<40 {
                let here = byte..<byte + 1
                #expect(common.contains(here) == (one.contains(here) && other.contains(here)))
                #expect(rest.contains(here) == (one.contains(here) && !hole.contains(byte)))
            }
        }
    }

    @Test func `a right piece goes into the sums of the whole when it is the next`() throws {
        let disk = SimulatedDisk()
        try disk.createDirectory("/d", permissions: 0o700)
        let file = try disk.open("/d/f", .create(permissions: 0o600))
        try file.write(Self.bytes, at: 0)
        func sum(_ range: Range<Int>, _ algorithm: Digest.Algorithm) throws -> Digest {
            let digest = RunningDigest(stated: algorithm)
            let part = try disk.open(FilePath("/d/\(range) \(algorithm)"), .create(permissions: 0o600))
            try part.write(Array(Self.bytes[range]), at: 0)
            _ = try digest.follow(part, to: UInt64(range.count))
            return digest.finish().stated
        }
        let digest = RunningDigest(stated: .sha512, absorbs: false)
        digest.absorb(Self.bytes.span.bytes, at: 0)
        #expect(digest.position == 0)
        let second = try sum(300..<600, .sha1)
        #expect(try digest.check(300..<600, is: second, in: file))
        #expect(digest.position == 0)
        #expect(try !digest.check(0..<300, is: second, in: file))
        #expect(digest.position == 0)
        #expect(try digest.check(0..<300, is: sum(0..<300, .sha1), in: file))
        #expect(digest.position == 300)
        #expect(try digest.follow(file, to: 600))
        #expect(try digest.check(600..<1000, is: sum(600..<1000, .md5), in: file))
        #expect(digest.position == 1000)
        #expect(digest.finish().stated == (try sum(0..<1000, .sha512)))
        #expect(throws: Failure.self) { try digest.check(900..<1100, is: sum(0..<1, .md5), in: file) }
    }
}
