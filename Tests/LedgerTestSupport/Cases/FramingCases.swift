/// Rows 13 to 21: how bodies end, or do not.
extension Catalogue {
    static let framing = [cut, overlong, chunked, absurd, unframed, encoded, silent].flatMap { $0 }

    private static let cut = [
        OriginCase(
            "13-cut", "closes before Content-Length is reached, three times",
            right: "resumes in the same run until whole"
        ) { $0.number < 3 ? $0.serve(.v1).cut(after: 150_000) : $0.serve(.v1) },
        OriginCase("13-reset", "as 13-cut, with resets", right: "resumes in the same run until whole") {
            $0.number < 3 ? $0.serve(.v1).cut(after: 150_000, .reset) : $0.serve(.v1)
        },
        OriginCase(
            "13-cut-always", "closes in the middle every time and serves no ranges", right: "never a success"
        ) {
            $0.serve(.v1, tag: nil) { $0.servesRanges = false }.cut(after: CaseFile.cutBytes)
        }.with { $0.result = .refused },
    ]

    private static let overlong = [
        OriginCase(
            "14-too-much", "sends 50,000 bytes more than Content-Length",
            right: "keeps exactly the length, closes the connection, notes it"
        ) {
            var reply = $0.serve(.v1)
            reply.steps += [.bytes(CaseFile.longer.bytes.suffix(50_000)), .close]
            return reply
        },
        OriginCase(
            "14-slice-too-long", "sends 50,000 bytes more than its Content-Range says",
            right: "keeps exactly the length"
        ) { exchange in
            guard let start = exchange.middle else {
                return exchange.isFirst ? exchange.cut() : exchange.serve(.v1)
            }
            let total = CaseFile.v1.bytes.count
            return OriginReply(
                206, [("ETag", "\"v1\""), ("Content-Range", "bytes \(start)-\(total - 1)/\(total)")],
                body: CaseFile.v1.bytes[start...] + CaseFile.longer.bytes.suffix(50_000))
        },
    ]

    private static let chunked = [
        OriginCase(
            "15-no-last-chunk", "the whole body in chunks, and never the last chunk", right: "never a success"
        ) { _ in
            let body: [OriginReply.Step] = [.bytes(OriginReply.chunk(CaseFile.v1.bytes)), .close]
            return OriginReply(steps: [OriginReply.head(200, [("Transfer-Encoding", "chunked")])] + body)
        }.with { $0.result = .refused },
        OriginCase("15-cut-chunk", "closes in the middle of a chunk; then serves ranges", right: "tried again") {
            guard $0.isFirst else { return $0.serve(.v1) }
            return OriginReply(
                200, [("ETag", "\"v1\""), ("Accept-Ranges", "bytes")], body: CaseFile.v1.bytes, framing: .chunked
            ).cut(after: CaseFile.cutBytes)
        },
        OriginCase(
            "16-chunked-and-length", "chunked, with a Content-Length of 1,000 too", right: "chunked wins"
        ) { _ in
            OriginReply(200, [("Content-Length", "1000")], body: CaseFile.v1.bytes, framing: .chunked)
        },
    ]

    private static let clear = "refused with a clear error; memory stays bounded"

    private static let absurd = [
        bad("17-two-lengths", "two different Content-Length", ["Content-Length: 700001", "Content-Length: 1000"]),
        bad("17-negative-length", "a negative Content-Length", ["Content-Length: -700001"]),
        bad("17-absurd-length", "a Content-Length beyond 64 bits", ["Content-Length: 99999999999999999999"]),
        bad("17-huge-length", "a Content-Length beyond any file", ["Content-Length: 9223372036854775808"]),
        bad("17-length-of-words", "a Content-Length that is no number", ["Content-Length: many"]),
        bad("17-junk", "another protocol instead of HTTP", [], start: "SSH-2.0-OpenSSH_9.2p1"),
        bad(
            "17-megabyte-of-fields", "a megabyte of header fields",
            (0..<1000).map { "X-\($0): " + String(repeating: "x", count: 1000) }),
        bad(
            "17-megabyte-in-one-field", "a header field of a megabyte",
            ["X-Long: " + String(repeating: "x", count: 1 << 20)]),
        bad("17-bad-chunk", "a chunk size that is no number", ["Transfer-Encoding: chunked"], before: "zz\r\n"),
        bad(
            "17-huge-chunk", "a chunk size beyond 64 bits", ["Transfer-Encoding: chunked"],
            before: "fffffffffffffffff\r\n"),
        bad("17-negative-chunk", "a negative chunk size", ["Transfer-Encoding: chunked"], before: "-5\r\n"),
    ]

    /// An answer whose head or first chunk is nonsense, with `v1` behind it.
    private static func bad(
        _ slug: String, _ what: String, _ fields: [String], start: String = "HTTP/1.1 200 OK", before: String = ""
    ) -> OriginCase {
        let head = ([start] + fields).joined(separator: "\r\n") + "\r\n\r\n" + before
        return OriginCase(slug, what, right: clear) { _ in
            OriginReply(steps: [.bytes(Array(head.utf8)), .bytes(CaseFile.v1.bytes), .close])
        }.with { $0.result = .refused }
    }

    private static let unframed = [
        OriginCase("18-clean-close", "no length, and a clean close at the end", right: "complete") { _ in
            OriginReply(200, [], body: CaseFile.v1.bytes, framing: .close)
        },
        OriginCase("18-reset", "no length, and a reset in the middle", right: "never a success") { _ in
            OriginReply(200, [], body: CaseFile.v1.bytes, framing: .close).cut(after: CaseFile.cutBytes, .reset)
        }.with { $0.result = .refused },
        OriginCase(
            "18-no-close-notify", "no length, and the connection closes without TLS's own end",
            right: "never a success: it may be cut"
        ) { _ in
            OriginReply(200, [], body: CaseFile.v1.bytes, framing: .close).cut(after: CaseFile.cutBytes, .drop)
        }.with {
            $0.result = .refused
            $0.isSecureOnly = true
        },
    ]

    private static let encoded = [
        OriginCase(
            "19-gzip", "gzip though identity was asked for", right: "keeps the bytes as served; --decompress decodes"
        ) { $0.serve(.gzip, tag: nil) { $0.fields = [("Content-Encoding", "gzip")] } },
        OriginCase(
            "19-gzip-cut", "as 19-gzip, cut in the middle, with a tag",
            right: "never resumes by the decoded size; keeps the bytes as served"
        ) {
            let reply = $0.serve(.gzip) { $0.fields = [("Content-Encoding", "gzip")] }
            return $0.isFirst ? reply.cut(after: CaseFile.cutBytes) : reply
        },
    ].map { $0.with { $0.files = [.v1, .gzip] } }

    private static let empty = [
        OriginCase("20-empty", "200 with nothing in it", right: "an empty file, complete") { _ in OriginReply(200) },
        OriginCase("20-no-content", "204", right: "an empty file, complete") { _ in OriginReply(204) },
    ].map { $0.with { $0.files = [.empty] } }

    private static let silent =
        empty
        + [
            OriginCase("21-no-answer", "never answers the first request", right: "a limit, its message, tried again") {
                $0.isFirst ? OriginReply(steps: [.stall]) : $0.serve(.v1)
            },
            OriginCase("21-stalls", "stops in the middle of the first body", right: "a limit, its message, tried again")
            {
                $0.isFirst ? $0.serve(.v1).cut(after: CaseFile.cutBytes, .stall) : $0.serve(.v1)
            },
            OriginCase(
                "21-stalls-always", "stops in the middle of the first body, and at the start of each later one",
                right: "a limit, its message; never a success"
            ) {
                $0.serve(.v1).cut(after: $0.isFirst ? CaseFile.cutBytes : 0, .stall)
            }.with { $0.result = .refused },
            OriginCase("21-drips", "sends a byte every 250 ms, the first time", right: "low speed, tried again") {
                $0.isFirst ? $0.drip(everyMilliseconds: 250) : $0.serve(.v1)
            },
        ].map { $0.with { $0.client = "allow 2 s of silence" } }
}
