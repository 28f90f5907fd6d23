import FoundationEssentials
import LedgerModel
import LedgerTestSupport
import LedgerTransfer
import Synchronization
import Testing

@testable import LedgerHTTP

/// Row 19: bodies that come packed though that was not asked for.
@Suite struct DecompressTests {
    static let body = OriginEntity.pattern(300_000)
    static let gzip = GzipFile.stored(body)
    static let raw = Array(gzip.dropFirst(10).dropLast(8))

    /// RFC 1950 round the same stream.
    static var zlib: [UInt8] {
        var (a, b): (UInt32, UInt32) = (1, 0)
        for byte in body { (a, b) = ((a + UInt32(byte)) % 65_521, (b + a + UInt32(byte)) % 65_521) }
        let sum = b << 16 | a
        return [0x78, 0x01] + raw + (0..<4).reversed().map { UInt8(truncatingIfNeeded: sum >> (8 * $0)) }
    }

    private static func serve(_ bench: Bench, _ coding: String, _ bytes: [UInt8]) {
        bench.origin.on("/a.bin") { _ in
            OriginReply(200, [("Content-Encoding", coding), ("ETag", "\"v1\"")], body: bytes)
        }
    }

    @Test(arguments: [("gzip", gzip), ("x-gzip", gzip), ("GZip", gzip), ("deflate", zlib), ("deflate", raw)])
    func `with --decompress the file is what the body unpacks to`(coding: String, bytes: [UInt8]) async throws {
        try await Bench.run { bench in
            Self.serve(bench, coding, bytes)
            let end = await bench.run(try bench.assignment("/a.bin") { $0.decompresses = true })
            #expect(end == .completed(path: bench.path("a.bin")))
            #expect(try bench.file("a.bin") == Self.body)
            #expect(bench.origin.requests.first?["accept-encoding"] == "identity")
            guard case .verified(let length, let sum, _)? = bench.reports.all.dropFirst().first else {
                return #expect(Bool(false), "\(bench.reports.all)")
            }
            #expect(length == 300_000)
            let expected = try #require(Digest(parsing: sum.description))
            let again = try bench.assignment("/a.bin", name: "b.bin", id: 2, expected: expected) {
                $0.decompresses = true
            }
            #expect(await bench.run(again) == .completed(path: bench.path("b.bin")))
        }
    }

    @Test(arguments: ["gzip", "identity"])
    func `a document that comes packed is read as what it unpacks to`(coding: String) async throws {
        try await Bench.run { bench in
            Self.serve(bench, coding, coding == "gzip" ? Self.gzip : Self.body)
            let fetch = DocumentFetch(transport: bench.transport, clock: bench.clock, settings: TransferSettings())
            let assignment = try bench.assignment("/a.bin")
            #expect(try await fetch.fetch(assignment, bytesMax: Self.body.count).bytes == Self.body)
            await #expect(throws: Failure.self) {
                try await fetch.fetch(assignment, bytesMax: Self.body.count - 1)
            }
        }
    }

    @Test func `several members in a row are one file, and an empty body is an empty one`() async throws {
        try await Bench.run { bench in
            Self.serve(bench, "gzip", Self.gzip + Self.gzip)
            await bench.completes(try bench.assignment("/a.bin") { $0.decompresses = true }, as: "a.bin")
            #expect(try bench.file("a.bin") == Self.body + Self.body)
            Self.serve(bench, "gzip", [])
            let empty = try bench.assignment("/a.bin", name: "e", id: 2) { $0.decompresses = true }
            await bench.completes(empty, as: "e")
            #expect(try bench.file("e") == [])
        }
    }

    static let bad: [(coding: String, bytes: [UInt8], code: Failure.Code)] = [
        ("gzip", Array(gzip.dropLast(9)), .protocolViolation), ("gzip", body, .protocolViolation),
        ("gzip", gzip + [1, 2, 3], .protocolViolation), ("br", gzip, .unsupported), ("gzip, br", gzip, .unsupported),
    ]

    @Test(arguments: bad.indices) func `what can not be unpacked is no file`(_ row: Int) async throws {
        let (coding, bytes, code) = Self.bad[row]
        try await Bench.run { bench in
            Self.serve(bench, coding, bytes)
            let end = await bench.run(try bench.assignment("/a.bin") { $0.decompresses = true })
            guard case .failed(let failure, _) = end else { return #expect(Bool(false), "\(end)") }
            #expect(failure.code == code, "\(failure)")
            #expect(try bench.names == [])
        }
    }

    @Test func `a body that was cut is fetched anew, not continued`() async throws {
        try await Bench.run { bench in
            bench.origin.script(
                "/a.bin",
                [
                    { _ in
                        OriginReply(200, [("Content-Encoding", "gzip"), ("ETag", "\"v1\"")], body: Self.gzip)
                            .cut(after: 200_000)
                    },
                    { _ in OriginReply(200, [("Content-Encoding", "gzip"), ("ETag", "\"v1\"")], body: Self.gzip) },
                ])
            let assignment = try bench.assignment("/a.bin") { $0.decompresses = true }
            guard case .failed(_, .some) = await bench.run(assignment) else { return #expect(Bool(false)) }
            await bench.completes(assignment, as: "a.bin")
            #expect(bench.origin.requests.allSatisfy { $0["range"] == nil })
            #expect(try bench.file("a.bin") == Self.body)
        }
    }

    /// 100,000 zeros, packed by gzip.
    static let zeros =
        "H4sIAAAAAAACA+3BMQEAAADCoPVPbQ0PoAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
        + "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAIBXA32VEdSghgEA"

    @Test func `what unpacks to more than any honest file is left`() throws {
        let packed = [UInt8](try #require(Data(base64Encoded: Self.zeros)))
        let patient = Collector()
        _ = try DecodingSink(.gzip, into: patient).write(packed.span.bytes)
        #expect(patient.count == 100_000)
        let strict = DecodingSink(.gzip, into: Collector(), freeBytesMax: 1000)
        do throws(Failure) {
            _ = try strict.write(packed.span.bytes)
            Issue.record("a bomb was taken")
        } catch { #expect(error.code == .suspicious) }
    }
}

/// Counts what it takes.
private final class Collector: BodySink {
    private let taken = Mutex(0)

    var count: Int { taken.withLock { $0 } }

    func write(_ bytes: RawSpan) throws(Failure) -> Duration {
        taken.withLock { $0 += bytes.byteCount }
        return .zero
    }

    func pause() -> Duration { .zero }
}
