import LedgerModel
import LedgerTestSupport
import LedgerTransfer
import Testing

/// Rows 1 to 12: the entity, its validators and its ranges. Each first body was cut, and the run goes on.
@Suite struct EntityCaseTests {
    /// What is asked for after the cut, and what becomes of the part.
    struct Row: Sendable, CustomTestStringConvertible {
        let slug: String
        /// The `Range` of each request after the first.
        let ranges: [String?]
        /// Whether the part is carried on.
        var resumes = false
        var validator: Validator? = .entityTag("\"v1\"")
        /// How much the part held.
        var held = CaseFile.cutBytes
        /// Whether the first answer said how long the whole is.
        var isLengthKnown = true

        init(_ slug: String, _ ranges: [String?], _ change: (inout Row) -> Void = { _ in }) {
            self.slug = slug
            self.ranges = ranges
            change(&self)
        }

        var testDescription: String { slug }
    }

    static let rest = "bytes=300000-"
    static let old = Validator.lastModified("Sun, 01 Mar 2026 10:00:00 GMT")

    static let rows = [
        Row("01-resume", [rest]) { $0.resumes = true },
        Row("02-changed-tag", [rest]), Row("02-changed-date", [rest]) { $0.validator = old },
        Row("02-ignores-if-range", [rest, nil]), Row("02-silent-206", [rest, nil]),
        Row("02-ignores-if-range-date", [rest, nil]) { $0.validator = old },
        Row("03-no-validator", [nil]) { $0.validator = nil },
        Row("03-no-validator-same", [nil]) { $0.validator = nil },
        Row("04-ignores-range", [rest]),
        Row("05-deaf-to-if-range", [rest, rest]) { $0.resumes = true },
        Row("05-deaf-and-changed", [rest, rest, nil]),
        Row("06-starts-earlier", [rest, nil]), Row("06-starts-later", [rest, nil]),
        Row("06-no-content-range", [rest, nil]), Row("07-other-total", [rest, nil]),
        Row("08-200-slice", [rest, nil]), Row("09-multipart", [rest, nil]),
        Row("10-already-whole", ["bytes=700001-"]) { row in
            (row.resumes, row.held, row.isLengthKnown) = (true, 700_001, false)
        },
        Row("10-another-whole", ["bytes=700001-", nil]) { ($0.held, $0.isLengthKnown) = (700_001, false) },
        Row("11-holds-more", [rest, nil]) { $0.isLengthKnown = false },
        Row("11-bare-416", [rest, nil]),
        Row("12-weak-tag", [nil]) { $0.validator = nil },
        Row("12-weak-tag-old-date", [rest]) { ($0.resumes, $0.validator) = (true, old) },
        Row("12-fresh-date", [nil]) { $0.validator = nil },
    ]

    @Test(arguments: rows) func `a body that was cut becomes one whole entity, in the same run where it may`(
        row: Row
    ) async throws {
        let theCase = try Bench.named(row.slug)
        try await Bench.run { bench in
            let ends = await bench.follow(try bench.assignment(theCase))
            #expect(ends.last == .completed(path: bench.path("disk.iso")))
            #expect(try bench.holds(theCase, under: "disk.iso"))
            #expect(try bench.names == ["disk.iso"])
            let length = theCase.file.bytes.count
            // Without a validator nothing of it is worth a record.
            let lost = row.validator == nil ? ["failed connection-lost"] : []
            let kinds = lost + ["resolved 1", "verified \(length) disk.iso", "completed \(length)"]
            #expect(bench.reports.all.kinds == kinds)
            #expect(bench.seen(theCase)["range"] == [nil] + row.ranges)
        }
    }

    @Test(arguments: rows) func `a part on record is carried on only under its validator, else replaced by another`(
        row: Row
    ) async throws {
        let theCase = try Bench.named(row.slug)
        try await Bench.run { bench in
            // The first answer is another process's, long ago.
            bench.cases.skipFirst(theCase.slug, Bench.token)
            var assignment = try bench.assignment(theCase)
            let known = try bench.known(
                theCase.path(Bench.token), length: row.isLengthKnown ? 700_001 : nil, validator: row.validator)
            try bench.left(Array(CaseFile.v1.bytes[..<row.held]), of: known, for: &assignment)
            await bench.completes(assignment, as: "disk.iso")
            #expect(try bench.holds(theCase, under: "disk.iso"))
            #expect(try bench.names == ["disk.iso"])
            let length = theCase.file.bytes.count
            let anew = row.resumes ? [] : ["resolved 2"]
            #expect(bench.reports.all.kinds == anew + ["verified \(length) disk.iso", "completed \(length)"])
            let seen = bench.seen(theCase)
            #expect(seen["range"] == row.ranges)
            // Only the origin that can not judge a condition is asked without one, and once only.
            var conditions = row.ranges.map { $0 == nil ? nil : row.validator?.headerValue }
            if row.slug.hasPrefix("05") { conditions[1] = nil }
            #expect(seen["if-range"] == conditions)
            #expect(bench.live.now.resumedFrom == (row.resumes ? UInt64(row.held) : 0))
        }
    }

    @Test(arguments: [true, false]) func `a part without any validator is carried on when a digest or the user says so`(
        byDigest: Bool
    ) async throws {
        let theCase = try Bench.named("03-no-validator-same")
        try await Bench.run { bench in
            bench.cases.skipFirst(theCase.slug, Bench.token)
            let expected = byDigest ? theCase.file.digest : nil
            var assignment = try bench.assignment(theCase, expected: expected) { $0.resumesUnvalidated = !byDigest }
            let known = try bench.known(theCase.path(Bench.token), length: 700_001, validator: nil)
            try bench.left(Array(CaseFile.v1.bytes[..<CaseFile.cutBytes]), of: known, for: &assignment)
            await bench.completes(assignment, as: "disk.iso")
            #expect(bench.seen(theCase)["range"] == [Self.rest])
            #expect(try bench.holds(theCase, under: "disk.iso"))
        }
    }
}
