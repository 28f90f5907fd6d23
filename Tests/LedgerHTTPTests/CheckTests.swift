import LedgerModel
import LedgerTestSupport
import LedgerTransfer
import Testing

/// What an order says of its file before it is there: a list of checksums, a media type, a length.
@Suite struct CheckTests {
    static let sum = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    static let md5 = "900150983cd24fb0d6963f7d28e17f72"

    private func serve(_ bench: Bench, list: String) throws -> ResourceURL {
        bench.origin.on("/pub/disk.iso") { OriginEntity(Array("abc".utf8)).reply(to: $0) }
        bench.origin.on("/pub/SUMS") { _ in OriginReply(200, [], body: Array(list.utf8)) }
        return try bench.origin.url("/pub/SUMS")
    }

    @Test(arguments: ["\(sum)  disk.iso\n", "\(sum) *pub/disk.iso\n", "MD5 (disk.iso) = \(md5)\n", "\(md5)\n"])
    func `the sum of a list is what the file must hash to, and is on record`(list: String) async throws {
        try await Bench.run { bench in
            let url = try serve(bench, list: list)
            await bench.completes(try bench.assignment("/pub/disk.iso") { $0.checksumFile = url }, as: "disk.iso")
            guard case .resolved(let origin, _)? = bench.reports.all.first else { return #expect(Bool(false)) }
            #expect([Self.sum, Self.md5].contains(origin.digest?.hex))
            #expect(bench.origin.requests.map(\.path) == ["/pub/SUMS", "/pub/disk.iso"])
        }
    }

    @Test func `a file that is not what the list says is set aside`() async throws {
        try await Bench.run { bench in
            let url = try serve(bench, list: "\(String(repeating: "ab", count: 32))  disk.iso\n")
            let end = await bench.run(try bench.assignment("/pub/disk.iso") { $0.checksumFile = url })
            guard case .failed(let failure, nil) = end else { return #expect(Bool(false), "\(end)") }
            #expect(failure.code == .digestMismatch)
            #expect(try bench.names == ["disk.iso.rejected"])
        }
    }

    @Test(arguments: [("\(sum)  other.iso\n", "does not name 'disk.iso'"), ("<html>", "holds no checksum")])
    func `a list that does not name the file is said so, and nothing is fetched`(
        list: String, words: String
    ) async throws {
        try await Bench.run { bench in
            let url = try serve(bench, list: list)
            let end = await bench.run(try bench.assignment("/pub/disk.iso") { $0.checksumFile = url })
            guard case .failed(let failure, nil) = end else { return #expect(Bool(false), "\(end)") }
            #expect(failure.code == .suspicious && failure.message.contains(words), "\(failure)")
            #expect(bench.origin.requests.map(\.path) == ["/pub/SUMS"])
        }
    }

    @Test func `a list that is not to be had, or is too long, fails as a download does`() async throws {
        try await Bench.run { bench in
            _ = try serve(bench, list: "")
            bench.origin.on("/busy") { _ in OriginReply(503) }
            bench.origin.on("/long") { _ in
                OriginReply(200, [], body: [UInt8](repeating: 65, count: ChecksumList.bytesMax + 1))
            }
            for (path, isPassing) in [("/none", false), ("/busy", true), ("/long", false)] {
                let url = try bench.origin.url(path)
                let end = await bench.run(try bench.assignment("/pub/disk.iso") { $0.checksumFile = url })
                guard case .failed(let failure, let retryAt) = end else { return #expect(Bool(false), "\(end)") }
                #expect(failure.message.hasPrefix("the list of checksums: "), "\(failure)")
                #expect((retryAt != nil) == isPassing, "\(path)")
            }
            #expect(try bench.names == [])
        }
    }

    @Test func `the secrets of the file's origin go to a list at the same one, and to no other`() async throws {
        try await Bench.run { bench in
            _ = try serve(bench, list: "\(Self.sum)  disk.iso\n")
            for (host, sends) in [("127.0.0.1", true), ("localhost", false)] {
                let url = try bench.origin.url("/pub/SUMS", host: host)
                var assignment = try bench.assignment("/pub/disk.iso", name: host) { $0.checksumFile = url }
                assignment.headers = [Assignment.Header(name: "X-Key", value: "secret")]
                assignment.credentials = "ada:secret"
                await bench.completes(assignment, as: host)
                let request = try #require(bench.origin.requests.last { $0.path == "/pub/SUMS" })
                #expect((request["x-key"] != nil) == sends, "\(host)")
                #expect((request["authorization"] != nil) == sends, "\(host)")
            }
        }
    }

    @Test(arguments: ["application/octet-stream", "application/*", "*/*"])
    func `a type that was expected is taken`(range: String) async throws {
        try await Bench.run { bench in
            bench.origin.on("/a") { OriginEntity([1]).reply(to: $0) }
            await bench.completes(try bench.assignment("/a") { $0.expectedType = range }, as: "a")
        }
    }

    @Test(arguments: [("text/html", true), ("image/png", false), (nil as String?, false)])
    func `another type than was expected is refused, and what is held stays`(
        type: String?, isPassing: Bool
    ) async throws {
        try await Bench.run { bench in
            bench.origin.on("/a") { _ in
                var entity = OriginEntity([1, 2, 3])
                (entity.mediaType, entity.servesRanges) = (type, false)
                return OriginReply(200, type.map { [("Content-Type", $0)] } ?? [], body: entity.bytes)
            }
            var assignment = try bench.assignment("/a") { $0.expectedType = "video/*" }
            try bench.left([1, 2], of: bench.known("/a", length: 3, mediaType: "video/mp4"), for: &assignment)
            let end = await bench.run(assignment)
            guard case .failed(let failure, let retryAt) = end else { return #expect(Bool(false), "\(end)") }
            #expect(failure.code == .suspicious && (retryAt != nil) == isPassing, "\(failure)")
            #expect(try bench.file("a.1-0badcafe.1.part") == [1, 2])
        }
    }

    @Test(arguments: [OriginReply.Framing.length, .chunked])
    func `a file of another length is another file`(framing: OriginReply.Framing) async throws {
        try await Bench.run { bench in
            bench.origin.on("/a") { _ in OriginReply(200, [], body: [1, 2, 3], framing: framing) }
            bench.origin.on("/b") { _ in OriginReply(200, [], body: [1, 2, 3, 4], framing: framing) }
            let end = await bench.run(try bench.assignment("/a") { $0.expectedLength = 4 })
            guard case .failed(let failure, nil) = end else { return #expect(Bool(false), "\(end)") }
            #expect(failure.code == .entityChanged)
            let mirror = try bench.origin.url("/b")
            let assignment = try bench.assignment("/a", name: "c", id: 2) {
                $0.expectedLength = 4
                $0.mirrors = [mirror]
            }
            await bench.completes(assignment, as: "c")
        }
    }
}
