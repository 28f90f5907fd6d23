import LedgerModel
import LedgerTestSupport
import LedgerTransfer
import Testing

/// Origins that serve a file, but no range of it, whatever they say.
@Suite struct UnrangedTests {
    let body = OriginEntity.pattern(300_000)

    /// An assignment that holds the first 200,000 bytes.
    private func held(_ bench: Bench, failed attempts: UInt32 = 0, expected: Digest? = nil) throws -> Assignment {
        var assignment = try bench.assignment("/disk.iso", expected: expected) { $0.retriesMax = 3 }
        try bench.left(Array(body[..<200_000]), of: bench.known("/disk.iso", length: 300_000), for: &assignment)
        assignment.attemptsFailed = attempts
        return assignment
    }

    @Test(arguments: [400, 403, 405, 412, 501])
    func `one that refuses the rest is asked for everything`(status: Int) async throws {
        try await Bench.run { bench in
            bench.origin.on("/disk.iso") { request in
                request["range"] == nil ? OriginEntity(body).reply(to: request) : OriginReply(status)
            }
            await bench.completes(try held(bench), as: "disk.iso")
            #expect(try bench.file("disk.iso") == body)
            let range = "bytes=200000-"
            // What it gives is the very file: it may have been for a moment.
            #expect(bench.origin.requests.map { $0["range"] } == [range, nil, range, nil])
        }
    }

    @Test(arguments: [OriginReply.Framing.length, .chunked])
    func `one whose ranges are empty is asked for everything`(framing: OriginReply.Framing) async throws {
        try await Bench.run { bench in
            bench.origin.on("/disk.iso") { request in
                guard let start = request.rangeStart else { return OriginEntity(body).reply(to: request) }
                let fields = [("ETag", "\"v1\""), ("Content-Range", "bytes \(start)-299999/300000")]
                return OriginReply(206, fields, body: [], framing: framing)
            }
            await bench.completes(try held(bench), as: "disk.iso")
            #expect(try bench.file("disk.iso") == body)
            #expect(bench.origin.requests.count <= 5)
        }
    }

    @Test(arguments: [400, 403, 405, 412, 501])
    func `one that refused the rest for a moment is asked for it again`(status: Int) async throws {
        try await Bench.run { bench in
            bench.origin.script(
                "/disk.iso",
                [{ _ in OriginReply(status) }, { OriginEntity(body).reply(to: $0) }]
                    + [{ OriginEntity(body).reply(to: $0) }])
            await bench.completes(try held(bench), as: "disk.iso")
            #expect(try bench.file("disk.iso") == body)
            let range = "bytes=200000-"
            #expect(bench.origin.requests.map { $0["range"] } == [range, nil, range])
            #expect(bench.origin.requests.map { $0["if-range"] } == ["\"v1\"", nil, nil])
        }
    }

    @Test func `a success that is of another type than the file, or less, and has no tag, is no file`() async throws {
        let answers = [
            OriginReply(200, [("Content-Type", "application/json")], body: Array("{}".utf8)),
            OriginReply(200, [("Content-Type", "application/octet-stream")], body: [1]), OriginReply(204),
            OriginReply(200, [("Content-Type", "application/json")], body: body + body),
            OriginReply(200, [("Content-Type", "application/octet-stream"), ("Content-Encoding", "gzip")], body: [1]),
            OriginReply(200, [("Content-Type", "application/octet-stream")], body: [1], framing: .chunked),
        ]
        for answer in answers {
            try await Bench.run { bench in
                bench.origin.on("/disk.iso") { $0["range"] == nil ? answer : OriginReply(403) }
                let failure = await bench.run(try held(bench)).failure
                #expect(failure?.code == .suspicious && failure?.isRetryable == true, "\(String(describing: failure))")
                #expect(try bench.file(#require(bench.names.first)) == Array(body[..<200_000]))
            }
        }
    }

    @Test(arguments: [404, nil])
    func `one that refuses ranges is asked for everything when no mirror goes on`(status: Int?) async throws {
        try await Bench.run { bench in
            bench.origin.on("/disk.iso") { request in
                request["range"] == nil ? OriginEntity(body).reply(to: request) : OriginReply(403)
            }
            bench.origin.on("/mirror") { _ in status.map { OriginReply($0) } ?? OriginReply(steps: [.close]) }
            var assignment = try held(bench, expected: RangeTests.sha256(body))
            assignment.mirrors = [Assignment.Mirror(try bench.origin.url("/mirror"))]
            // What may pass is waited for once.
            let ends = await bench.follow(assignment)
            #expect(ends.count == (status == nil ? 2 : 1) && ends.last == .completed(path: bench.path("disk.iso")))
            #expect(try bench.file("disk.iso") == body)
        }
    }

    /// Who is asked first makes no difference.
    @Test(arguments: [(nil, 2), (20, 1)] as [(Int?, Int)])
    func `a mirror that refuses ranges is asked for everything when the first stays away`(
        seconds: Int?, attempts: Int
    ) async throws {
        for isFirst in [true, false] {
            try await Bench.run { bench in
                let refuser: OriginServer.Answer = { request in
                    request["range"] == nil ? OriginEntity(body).reply(to: request) : OriginReply(403)
                }
                let busy: OriginServer.Answer = { _ in
                    seconds.map { OriginReply(503, [("Retry-After", "\($0)")]) } ?? OriginReply(steps: [.close])
                }
                bench.origin.on("/disk.iso", isFirst ? refuser : busy)
                bench.origin.on("/mirror", isFirst ? busy : refuser)
                var assignment = try held(bench, expected: RangeTests.sha256(body))
                assignment.mirrors = [Assignment.Mirror(try bench.origin.url("/mirror"))]
                let ends = await bench.follow(assignment)
                let name = isFirst ? "disk.iso" : "mirror"
                #expect(ends.count == attempts && ends.last == .completed(path: bench.path(name)), "\(ends)")
                #expect(try bench.file(name) == body)
            }
        }
    }

    /// A mirror that serves no ranges, and helped none, is the last one to ask for everything.
    @Test(arguments: [200, 403])
    func `a mirror that refuses ranges beside another is asked for everything in the end`(status: Int) async throws {
        try await Bench.run { bench in
            bench.origin.on("/disk.iso") { request in
                guard request["range"] == nil else { return OriginReply(404) }
                return OriginEntity(body).reply(to: request).cut(after: 100_000)
            }
            bench.origin.on("/mirror") { request in
                if request["range"] != nil, status != 200 { return OriginReply(status) }
                return OriginReply(200, [("ETag", "\"m\"")], body: body)
            }
            var assignment = try bench.assignment("/disk.iso", name: "disk.iso", expected: RangeTests.sha256(body)) {
                ($0.retriesMax, $0.rangesMax) = (0, 2)
            }
            assignment.mirrors = [Assignment.Mirror(try bench.origin.url("/mirror"))]
            await bench.completes(assignment, as: "disk.iso")
            #expect(try bench.file("disk.iso") == body)
            let blamed = bench.reports.all.compactMap { if case .blamed(let url, _) = $0 { url.path } else { nil } }
            #expect(!blamed.contains("/mirror"), "\(blamed)")
        }
    }

    @Test func `one that refuses ranges where redirects lead today is asked for everything`() async throws {
        try await Bench.run { bench in
            bench.origin.on("/disk.iso") { _ in OriginReply(302, [("Location", "/today")]) }
            bench.origin.on("/yesterday") { _ in OriginReply(404) }
            bench.origin.on("/today") { request in
                request["range"] == nil ? OriginEntity(body).reply(to: request) : OriginReply(403)
            }
            var assignment = try bench.assignment("/disk.iso", name: "disk.iso") { $0.retriesMax = 3 }
            var known = try bench.known("/yesterday", length: 300_000)
            known.source = try bench.origin.url("/disk.iso")
            try bench.left(Array(body[..<200_000]), of: known, for: &assignment)
            await bench.completes(assignment, as: "disk.iso")
            #expect(try bench.file("disk.iso") == body)
        }
    }

    /// Who gave what is held is on record as wrong: its tag is nothing to ask a mirror under.
    @Test func `a mirror is not asked under the tag of a source that is asked no more`() async throws {
        try await Bench.run { bench in
            bench.origin.on("/mirror") { OriginEntity(body, entityTag: "\"m\"").reply(to: $0) }
            var assignment = try held(bench, expected: RangeTests.sha256(body))
            assignment.mirrors = [Assignment.Mirror(try bench.origin.url("/mirror"))]
            assignment.blamed = [assignment.url.redacted]
            await bench.completes(assignment, as: "disk.iso")
            #expect(bench.origin.requests.map { $0["range"] } == ["bytes=200000-"])
            #expect(bench.origin.requests.map { $0["if-range"] } == [nil])
        }
    }

    /// It would not be tried again: nothing is waited for.
    @Test func `without retries, who refuses ranges is asked though a mirror is busy`() async throws {
        try await Bench.run { bench in
            bench.origin.on("/disk.iso") { request in
                request["range"] == nil ? OriginEntity(body).reply(to: request) : OriginReply(403)
            }
            bench.origin.on("/mirror") { _ in OriginReply(503) }
            var assignment = try bench.assignment("/disk.iso", expected: RangeTests.sha256(body)) { $0.retriesMax = 0 }
            try bench.left(Array(body[..<200_000]), of: bench.known("/disk.iso", length: 300_000), for: &assignment)
            assignment.mirrors = [Assignment.Mirror(try bench.origin.url("/mirror"))]
            await bench.completes(assignment, as: "disk.iso")
            #expect(try bench.file("disk.iso") == body)
        }
    }

    /// What is fetched so can not be continued: a retry waits for it.
    @Test func `everything is asked for once in an attempt`() async throws {
        try await Bench.run { bench in
            bench.origin.on("/disk.iso") { request in
                guard request["range"] == nil else { return OriginReply(403) }
                return OriginReply(200, [("ETag", "\"v1\"")], body: body).cut(after: 250_000)
            }
            let end = await bench.run(try held(bench))
            #expect(end.failure?.code == .connectionLost && end.retryAt != nil, "\(end)")
            #expect(bench.origin.requests.count == 2)
        }
    }

    @Test(arguments: [403, 404, 410, 500])
    func `what is refused whole too leaves what is held`(status: Int) async throws {
        try await Bench.run { bench in
            bench.origin.on("/disk.iso") { _ in OriginReply(status) }
            let assignment = try held(bench)
            #expect(await bench.run(assignment).failure?.status == UInt16(status))
            #expect(try bench.file(#require(bench.names.first)) == Array(body[..<200_000]))
        }
    }

    /// It may pass: what is held is given up for it in the last attempt alone.
    @Test(arguments: [500, nil])
    func `one that fails at every range is asked for everything in the end`(status: Int?) async throws {
        try await Bench.run { bench in
            bench.origin.on("/disk.iso") { request in
                if request["range"] == nil { return OriginEntity(body).reply(to: request) }
                return status.map { OriginReply($0) } ?? OriginReply(steps: [.close])
            }
            let first = await bench.run(try held(bench, failed: 2))
            #expect(first.failure?.isRetryable == true && first.retryAt != nil)
            #expect(bench.origin.requests.allSatisfy { $0["range"] != nil })
        }
        try await Bench.run { bench in
            bench.origin.on("/disk.iso") { request in
                if request["range"] == nil { return OriginEntity(body).reply(to: request) }
                return status.map { OriginReply($0) } ?? OriginReply(steps: [.close])
            }
            await bench.completes(try held(bench, failed: 3), as: "disk.iso")
            #expect(try bench.file("disk.iso") == body)
        }
    }

    /// Some say that they are busy to whoever asks for a range.
    @Test func `one that is busy at every range is asked for everything in the end`() async throws {
        try await Bench.run { bench in
            bench.origin.on("/disk.iso") { request in
                request["range"] == nil ? OriginEntity(body).reply(to: request) : OriginReply(503)
            }
            let ends = await bench.follow(try held(bench))
            #expect(ends.last == .completed(path: bench.path("disk.iso")))
            #expect(try bench.file("disk.iso") == body)
        }
    }

    @Test func `a tag that stayed where the file changed costs one more fetch`() async throws {
        try await Bench.run { bench in
            let other = OriginEntity.pattern(300_000, seed: 9)
            bench.origin.on("/disk.iso") { OriginEntity(other).reply(to: $0) }
            await bench.completes(try held(bench, expected: RangeTests.sha256(other)), as: "disk.iso")
            #expect(try bench.file("disk.iso") == other)
            #expect(bench.origin.requests.map { $0["range"] } == ["bytes=200000-", nil])
        }
    }

    @Test func `what is wrong as often as it comes is kept once`() async throws {
        try await Bench.run { bench in
            bench.origin.on("/disk.iso") { OriginEntity(body).reply(to: $0) }
            let end = await bench.run(try held(bench, expected: RangeTests.sha256([1])))
            #expect(end.failure?.code == .digestMismatch && end.retryAt == nil)
            #expect(try bench.names == ["disk.iso.rejected"])
            #expect(try bench.file("disk.iso.rejected") == body)
        }
    }
}
