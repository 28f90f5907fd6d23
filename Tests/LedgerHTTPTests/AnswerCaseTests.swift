import LedgerModel
import LedgerTestSupport
import LedgerTransfer
import Testing

/// Rows 22 to 26: answers that are not the file.
@Suite struct AnswerCaseTests {
    @Test(arguments: Catalogue.slugs(row: 22))
    func `a passing fault is told, and tried again at an instant on record`(slug: String) async throws {
        let theCase = try Bench.named(slug)
        try await Bench.run { bench in
            let ends = await bench.follow(try bench.assignment(theCase))
            let failure = try #require(ends.first?.failure)
            #expect(failure.status == UInt16(slug.dropFirst(3)))
            #expect(failure.code == (failure.status == nil ? .connectionLost : .status))
            #expect(failure.isRetryable)
            // Half of the quarter of a second that the first retry may wait: the bench's chance is always one half.
            let retryAt = Bench.start.advanced(by: .milliseconds(125))
            #expect(bench.reports.all.first == .failed(failure, retryAt: retryAt))
            #expect(ends.last == .completed(path: bench.path("disk.iso")))
            #expect(bench.reports.all.kinds.dropFirst().first == "resolved 1")
            #expect(try bench.holds(theCase, under: "disk.iso"))
            #expect(bench.seen(theCase)["range"] == [nil, nil])
        }
    }

    @Test func `each retry may wait longer, and after the last one it has failed`() async throws {
        let theCase = try Bench.named("22-500")
        try await Bench.run { bench in
            var assignment = try bench.assignment(theCase)
            assignment.attemptsFailed = 2
            #expect(await bench.run(assignment).retryAt == Bench.start.advanced(by: .seconds(1)))
            var last = try bench.assignment(theCase.path("last"))
            last.attemptsFailed = 5
            let end = await bench.run(last)
            #expect(end.failure?.status == 500)
            #expect(end.retryAt == nil)
        }
    }

    @Test(arguments: [
        ("23-429-seconds", 2000), ("23-503-seconds", 2000), ("23-503-date", 3000), ("23-503-unreadable", 0),
        ("23-503-years", 3_600_000),
    ])
    func `an origin that says when to come back is obeyed, within bounds`(slug: String, waited: Int64) async throws {
        let theCase = try Bench.named(slug)
        try await Bench.run { bench in
            let ends = await bench.follow(try bench.assignment(theCase))
            #expect(ends.first?.retryAt == Bench.start.advanced(by: .milliseconds(waited + 125)))
            #expect(ends.last == .completed(path: bench.path("disk.iso")))
            let times = bench.seen(theCase).requests.map(\.at)
            #expect(times.count == 2 && times[1] - times[0] >= .milliseconds(waited))
        }
    }

    @Test func `what is still being made is asked for again, and its notice is not the file`() async throws {
        try await Bench.run { bench in
            let body = OriginEntity.pattern(5000)
            bench.origin.script(
                "/export.zip",
                [
                    { _ in OriginReply(202, [("Retry-After", "2")], body: Array("in preparation".utf8)) },
                    { OriginEntity(body).reply(to: $0) },
                ])
            let ends = await bench.follow(try bench.assignment("/export.zip"))
            #expect(ends.first?.failure?.message == "the origin answered 202 Accepted")
            #expect(ends.first?.retryAt == Bench.start.advanced(by: .milliseconds(2125)))
            #expect(try bench.file("export.zip") == body)
        }
    }

    @Test(arguments: Catalogue.slugs(row: 24))
    func `a final refusal fails at once with the status in its words`(slug: String) async throws {
        let theCase = try Bench.named(slug)
        try await Bench.run { bench in
            let end = await bench.run(try bench.assignment(theCase))
            #expect(end.failure?.message.contains("answered \(slug.dropFirst(3)) ") == true)
            #expect(end.retryAt == nil)
            #expect(bench.reports.all.kinds == ["failed status for good"])
            #expect(bench.seen(theCase).requests.count == 1)
            #expect(try bench.names == [])
        }
    }

    @Test func `a final refusal is the next mirror's turn`() async throws {
        let (refusing, good) = (try Bench.named("24-404"), try Bench.named("34-taken"))
        try await Bench.run { bench in
            let mirrors = [
                try bench.origin.url(refusing.path("second")), try bench.origin.url(good.path(Bench.token)),
            ]
            let assignment = try bench.assignment(refusing, name: "x") { $0.mirrors = mirrors }
            await bench.completes(assignment, as: "x")
            let asked = [refusing.path(Bench.token), refusing.path("second"), good.path(Bench.token)]
            #expect(bench.origin.requests.map(\.path) == asked)
            #expect(try bench.holds(good, under: "x"))
        }
    }

    @Test(arguments: [("25-error-page", "status"), ("26-login-page", "suspicious")])
    func `a page in place of the rest is reported, and not a byte of it is kept`(
        slug: String, code: String
    ) async throws {
        let theCase = try Bench.named(slug)
        try await Bench.run { bench in
            let ends = await bench.follow(try bench.assignment(theCase))
            #expect(ends.last == .completed(path: bench.path("disk.iso")))
            #expect(try bench.holds(theCase, under: "disk.iso"))
            #expect(
                bench.reports.all.kinds == [
                    "resolved 1", "progressed 300000", "failed \(code)", "verified 700001 disk.iso",
                    "completed 700001",
                ])
            #expect(bench.seen(theCase)["range"] == [nil, "bytes=300000-", "bytes=300000-"])
        }
    }

    @Test func `a page of a final refusal leaves the part as it is`() async throws {
        let theCase = try Bench.named("25-gone-page")
        try await Bench.run { bench in
            let end = await bench.run(try bench.assignment(theCase))
            #expect(end.failure?.status == 404)
            #expect(end.retryAt == nil)
            #expect(bench.reports.all.kinds == ["resolved 1", "progressed 300000", "failed status for good"])
            let part = "disk.iso.1-0badcafe.1.part"
            #expect(try bench.names == [part])
            let isUntouched = try bench.file(part) == Array(CaseFile.v1.bytes[..<CaseFile.cutBytes])
            #expect(isUntouched)
        }
    }

    @Test(arguments: ["26-page-for-digest", "26-page-for-type"])
    func `a page where a digest or a type tells that a file is expected is reported and no file`(
        slug: String
    ) async throws {
        let theCase = try Bench.named(slug)
        try await Bench.run { bench in
            let expected = slug.hasSuffix("digest") ? theCase.file.digest : nil
            let assignment = try bench.assignment(theCase, expected: expected) { options in
                options.expectedType = expected == nil ? "application/octet-stream" : nil
            }
            let end = await bench.run(assignment)
            #expect(end.failure?.code == .suspicious)
            #expect(bench.reports.all.kinds == ["failed suspicious"])
            #expect(try bench.names == [])
        }
    }
}
