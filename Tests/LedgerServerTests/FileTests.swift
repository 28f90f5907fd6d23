import HTTPTypes
import LedgerCoding
import LedgerEngine
import LedgerModel
import LedgerSystem
import LedgerTestSupport
import LedgerTransfer
import SystemPackage
import Testing

@testable import LedgerServer

/// Finished files: ranges, conditions, and how they are announced.
@Suite(.timeLimit(.minutes(30))) struct FileTests {
    private static let bytes = OriginEntity.pattern(1000)

    private func serve(
        _ name: String, _ type: String?, _ bytes: [UInt8], _ fixture: ServerFixture
    ) async throws -> UInt64 {
        var entity = OriginEntity(bytes)
        entity.mediaType = type
        fixture.origin.serve("/" + name, entity)
        return try await fixture.fetch([["url": .string(try fixture.url("/" + name))]])[0]
    }

    @Test func `a range is answered with its bytes, whatever cannot be read with all`() async throws {
        try await ServerFixture.run { fixture in
            let id = try await serve("f.mp4", "video/mp4", Self.bytes, fixture)
            let whole = try await fixture.ask("GET", "/files/\(id)")
            #expect(whole.status == 200 && whole.body == Self.bytes && whole["content-range"] == nil)
            #expect(whole["accept-ranges"] == "bytes" && whole["content-length"] == "1000")
            let some: [(String, ClosedRange<Int>)] = [
                ("bytes=0-0", 0...0), ("bytes=0-99", 0...99), ("bytes=500-", 500...999), ("bytes=-1", 999...999),
                ("bytes=-10", 990...999), ("bytes=-5000", 0...999), ("bytes=990-5000", 990...999), ("BYTES=1-2", 1...2),
                ("bytes=999-999", 999...999), ("bytes=0-18446744073709551615", 0...999),
            ]
            for (range, meant) in some {
                let answer = try await fixture.ask("GET", "/files/\(id)", [("Range", range)])
                #expect(answer.status == 206 && answer.body == Array(Self.bytes[meant]), "\(range)")
                #expect(answer["content-range"] == "bytes \(meant.lowerBound)-\(meant.upperBound)/1000", "\(range)")
                #expect(answer["content-length"] == "\(meant.count)", "\(range)")
            }
            for range in ["bytes=1000-", "bytes=1000-2000", "bytes=-0", "bytes=18446744073709551615-"] {
                let answer = try await fixture.ask("GET", "/files/\(id)", [("Range", range)])
                #expect(answer.status == 416 && answer["content-range"] == "bytes */1000", "\(range)")
                #expect(answer["content-type"] == "application/problem+json", "\(range)")
            }
            for range in [
                "bytes=0-1,3-4", "bytes=5-2", "bytes=a-b", "bytes=", "bytes=-", "items=0-1", "bytes 0-1", "bytes=0-1-2",
                "bytes=99999999999999999999-", "bytes=+1-2", "bytes=0x1-2", "bytes= 0-1",
            ] {
                let answer = try await fixture.ask("GET", "/files/\(id)", [("Range", range)])
                #expect(answer.status == 200 && answer.body == Self.bytes, "\(range)")
            }
        }
    }

    @Test func `conditions are answered by the entity's tag`() async throws {
        try await ServerFixture.run { fixture in
            let id = try await serve("f.mp4", "video/mp4", Self.bytes, fixture)
            let tag = try #require(try await fixture.ask("GET", "/files/\(id)")["etag"])
            #expect(tag.hasPrefix("\"") && tag.hasSuffix("\"") && tag.count > 20)
            for value in [tag, "*", "\"x\", \(tag)", "W/\(tag)"] {
                let answer = try await fixture.ask("GET", "/files/\(id)", [("If-None-Match", value)])
                #expect(answer.status == 304 && answer.body.isEmpty && answer["etag"] == tag, "\(value)")
            }
            #expect(try await fixture.ask("GET", "/files/\(id)", [("If-None-Match", "\"x\"")]).status == 200)
            let range = ("Range", "bytes=0-9")
            #expect(try await fixture.ask("GET", "/files/\(id)", [range, ("If-Range", tag)]).status == 206)
            for value in ["\"x\"", "W/\(tag)", "Tue, 03 Mar 2026 10:00:00 GMT", ""] {
                let answer = try await fixture.ask("GET", "/files/\(id)", [range, ("If-Range", value)])
                #expect(answer.status == 200 && answer.body == Self.bytes, "\(value)")
            }
            // Of another entity behind the end all bytes come, and no refusal.
            let far = [("Range", "bytes=5000-"), ("If-Range", "\"x\"")]
            #expect(try await fixture.ask("GET", "/files/\(id)", far).status == 200)
            // Other bytes have another tag.
            let other = try await serve("g.mp4", "video/mp4", OriginEntity.pattern(1000, seed: 2), fixture)
            #expect(try await fixture.ask("GET", "/files/\(other)")["etag"] != tag)
        }
    }

    @Test func `what is asked of another file is 412, each condition in its turn`() async throws {
        try await ServerFixture.run { fixture in
            let id = try await serve("f.mp4", "video/mp4", Self.bytes, fixture)
            let shown = try await fixture.ask("HEAD", "/files/\(id)")
            let (tag, date) = (try #require(shown["etag"]), try #require(shown["last-modified"]))
            let (old, other) = ("Sun, 06 Nov 1994 08:49:37 GMT", "\"x\"")
            let (match, none) = ("If-Match", "If-None-Match")
            let (unmodified, modified) = ("If-Unmodified-Since", "If-Modified-Since")
            for (fields, status) in [
                ([(match, tag)], 200), ([(match, "*")], 200), ([(match, "\(other), \(tag)")], 200),
                ([(match, other), (match, tag)], 200), ([(match, other)], 412), ([(match, "W/\(tag)")], 412),
                ([(match, "\"a\(tag.dropFirst())")], 412), ([(match, String(tag.dropLast()))], 412),
                ([(unmodified, date)], 200), ([(unmodified, old)], 412), ([(unmodified, "yesterday")], 200),
                // A date counts where there is no tag.
                ([(match, tag), (unmodified, old)], 200), ([(match, other), (unmodified, date)], 412),
                ([(match, other), (none, tag)], 412), ([(match, tag), (none, tag)], 304),
                ([(match, "*"), (none, "*")], 304),
                ([(modified, date)], 304), ([(modified, old)], 200), ([(modified, "yesterday")], 200),
                ([(modified, date), (none, other)], 200), ([(modified, old), (none, tag)], 304),
                ([(match, other), ("Range", "bytes=0-9")], 412), ([(match, tag), ("Range", "bytes=0-9")], 206),
                ([(match, other), ("Range", "bytes=5000-")], 412),
            ] as [([(String, String)], Int)] {
                let answer = try await fixture.ask("GET", "/files/\(id)", fields)
                #expect(answer.status == status, "\(fields): \(answer.status)")
                #expect(try await fixture.ask("HEAD", "/files/\(id)", fields).status == status, "\(fields)")
                if status == 412 { #expect(answer["content-type"] == "application/problem+json") }
            }
        }
    }

    @Test func `of a file for which nothing is claimed there is everything, and no tag or date`() {
        func outcome(_ fields: HTTPFields) -> Preconditions.Outcome {
            Preconditions(fields, now: .epoch).outcome(tag: nil, modified: nil)
        }
        let old = "Sun, 06 Nov 1994 08:49:37 GMT"
        #expect(outcome([.ifMatch: "*"]) == .hold && outcome([.ifMatch: "\"x\""]) == .failed(.ifMatch))
        #expect(outcome([.ifNoneMatch: "*"]) == .notModified && outcome([.ifNoneMatch: "\"x\""]) == .hold)
        #expect(outcome([.ifUnmodifiedSince: old]) == .hold && outcome([.ifModifiedSince: old]) == .hold)
    }

    @Test(
        arguments: [
            (784_111_777_000, "Sun, 06 Nov 1994 08:49:37 GMT"), (0, "Thu, 01 Jan 1970 00:00:00 GMT"),
            (1_709_164_800_999, "Thu, 29 Feb 2024 00:00:00 GMT"), (-1_000, "Wed, 31 Dec 1969 23:59:59 GMT"),
        ] as [(Int64, String)])
    func `a date is written as it is read`(milliseconds: Int64, text: String) {
        let instant = Timestamp(milliseconds: milliseconds)
        #expect(instant.httpDate == text)
        let second = Timestamp(milliseconds: milliseconds - (milliseconds % 1_000))
        #expect(HTTPDate.parse(text, now: .epoch) == second)
    }

    @Test func `HEAD says what GET would, without the bytes`() async throws {
        try await ServerFixture.run { fixture in
            let id = try await serve("f.mp4", "video/mp4", Self.bytes, fixture)
            for fields in [
                [], [("Range", "bytes=10-19")], [("If-None-Match", "*")], [("Range", "bytes=5000-")],
                [("If-Match", "\"x\"")],
            ] {
                let (got, looked) = (
                    try await fixture.ask("GET", "/files/\(id)", fields),
                    try await fixture.ask("HEAD", "/files/\(id)", fields)
                )
                #expect(looked.status == got.status && looked.body.isEmpty)
                for name in [
                    "etag", "last-modified", "content-length", "content-range", "content-type", "content-disposition",
                ] {
                    #expect(looked[name] == got[name], "\(name) \(fields)")
                }
            }
        }
    }

    @Test(arguments: [
        ("video/mp4", "f.mp4", "video/mp4", true), ("audio/mpeg; charset=x", "f", "audio/mpeg", true),
        ("image/png", "f.png", "image/png", true), ("application/pdf", "f.pdf", "application/pdf", true),
        ("application/octet-stream", "f.mkv", "video/x-matroska", true), (nil, "f.MP3", "audio/mpeg", true),
        ("application/zip", "f.zip", "application/octet-stream", false),
        ("text/html", "f.mp4", "application/octet-stream", false),
        ("image/svg+xml", "f.svg", "application/octet-stream", false), (nil, "f", "application/octet-stream", false),
    ])
    func `media and PDF are shown in place, anything else is handed out to be kept`(
        type: String?, name: String, served: String, isInline: Bool
    ) async throws {
        try await ServerFixture.run { fixture in
            let id = try await serve(name, type, [1, 2, 3], fixture)
            let answer = try await fixture.ask("GET", "/files/\(id)")
            #expect(answer["content-type"] == served && answer["x-content-type-options"] == "nosniff")
            let way = isInline ? "inline" : "attachment"
            #expect(answer["content-disposition"] == "\(way); filename=\"\(name)\"; filename*=UTF-8''\(name)")
            #expect(answer["content-security-policy"]?.hasPrefix("sandbox;") == true)
            #expect(answer["referrer-policy"] == "no-referrer" && answer["cache-control"] == "private, no-cache")
            let forced = try await fixture.ask("GET", "/files/\(id)?download=1")
            #expect(forced["content-disposition"]?.hasPrefix("attachment;") == true)
            #expect(try await fixture.ask("GET", "/files/\(id)?download=maybe").status == 400)
        }
    }

    @Test func `an empty file is served, and has no ranges`() async throws {
        try await ServerFixture.run { fixture in
            let id = try await serve("f.bin", nil, [], fixture)
            let answer = try await fixture.ask("GET", "/files/\(id)")
            #expect(answer.status == 200 && answer.body.isEmpty && answer["content-length"] == "0")
            for range in ["bytes=0-", "bytes=-1", "bytes=0-0"] {
                let answer = try await fixture.ask("GET", "/files/\(id)", [("Range", range)])
                #expect(answer.status == 416 && answer["content-range"] == "bytes */0", "\(range)")
            }
        }
    }

    @Test func `what is not finished, gone, deleted or another file is not served`() async throws {
        try await ServerFixture.run { fixture in
            let paused = try await fixture.addPaused("/p.bin")
            for id in ["\(paused)", "999", "0", "x"] {
                let answer = try await fixture.ask("GET", "/files/\(id)")
                #expect(answer.status == 404 && answer["content-type"] == "application/problem+json", "\(id)")
            }
            let disk = RealFileSystem()
            let gone = try await serve("a.bin", nil, Self.bytes, fixture)
            try disk.unlink(fixture.downloads.appending("a.bin"))
            let altered = try await serve("b.bin", nil, Self.bytes, fixture)
            try disk.replaceContents(of: fixture.downloads.appending("b.bin"), with: [1], permissions: 0o644)
            let deleted = try await serve("c.bin", nil, Self.bytes, fixture)
            _ = try await fixture.ask("DELETE", "/v1/downloads/\(deleted)")
            for id in [gone, altered, deleted] {
                let answer = try await fixture.ask("GET", "/files/\(id)")
                #expect(try answer.status == 404 && answer.json["next"] != nil, "\(id)")
            }
            // And it is on record what became of them.
            for (id, state) in [(gone, "missing"), (altered, "altered")] {
                #expect(try await fixture.ask("GET", "/v1/downloads/\(id)").json["state"] == .string(state))
            }
            _ = try await fixture.ask("POST", "/v1/downloads/\(deleted)/undo")
            #expect(try await fixture.ask("GET", "/files/\(deleted)").body == Self.bytes)
        }
    }

    @Test func `a large file comes whole, to many at once`() async throws {
        try await ServerFixture.run { fixture in
            let bytes = OriginEntity.pattern((3 << 20) + 17)
            let id = try await serve("f.bin", nil, bytes, fixture)
            try await withThrowingTaskGroup(of: Bool.self) { group in
                for part in 0..<8 {
                    group.addTask {
                        let start = part * 300_000
                        let answer = try await fixture.ask("GET", "/files/\(id)", [("Range", "bytes=\(start)-")])
                        return answer.body == Array(bytes[start...])
                    }
                }
                for try await isSame in group { #expect(isSame) }
            }
        }
    }
}
