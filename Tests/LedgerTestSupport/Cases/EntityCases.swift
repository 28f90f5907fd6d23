/// Rows 1 to 12: the entity, its validators and its ranges.
extension Catalogue {
    static let entity = [resumed, changed, unvalidated, ignored, shifted, sliced, unsatisfied, weak].flatMap { $0 }

    private static let old = "Sun, 01 Mar 2026 10:00:00 GMT"
    private static let newer = "Mon, 02 Mar 2026 10:00:00 GMT"

    private static let resumed = [
        OriginCase("01-resume", "cuts the first body; 206 to the rest", right: "one Range with If-Range, finishes") {
            $0.isFirst ? $0.cut() : $0.serve(.v1)
        }
    ]

    private static let anew = "starts over with the new entity, never a splice"

    private static let changed = [
        OriginCase("02-changed-tag", "cuts; then another entity of the same size under a new tag", right: anew) {
            $0.isFirst ? $0.cut() : $0.serve(.v2, tag: "\"v2\"")
        },
        OriginCase("02-changed-date", "cuts; then another entity of the same size, a day younger", right: anew) {
            $0.isFirst ? $0.cut(tag: nil, modified: old) : $0.serve(.v2, tag: nil, modified: newer)
        },
        OriginCase("02-ignores-if-range", "as 02-changed-tag, and sends a 206 in spite of If-Range", right: anew) {
            $0.isFirst ? $0.cut() : $0.serve(.v2, tag: "\"v2\"") { $0.obeysIfRange = false }
        },
        OriginCase("02-ignores-if-range-date", "as 02-changed-date, and sends a 206 in spite of it", right: anew) {
            $0.isFirst
                ? $0.cut(tag: nil, modified: old)
                : $0.serve(.v2, tag: nil, modified: newer) { $0.obeysIfRange = false }
        },
        OriginCase("02-silent-206", "sends a 206 of another entity without any validator", right: anew) {
            $0.isFirst ? $0.cut() : $0.serve(.v2, tag: nil) { $0.obeysIfRange = false }
        },
    ].map { $0.with { $0.files = [.v1, .v2] } }

    private static let unvalidated = [
        OriginCase(
            "03-no-validator", "cuts; no validator at all, and the entity is another one by then",
            right: "does not resume on trust: starts over"
        ) { $0.isFirst ? $0.cut(tag: nil) : $0.serve(.v2, tag: nil) }.with { $0.files = [.v1, .v2] },
        OriginCase(
            "03-no-validator-same", "cuts; no validator at all, and the entity is still the same",
            right: "starts over, unless a digest or --resume-unvalidated says that it may resume"
        ) { $0.isFirst ? $0.cut(tag: nil) : $0.serve(.v1, tag: nil) },
    ]

    private static let ignored = [
        OriginCase(
            "04-ignores-range", "cuts; then 200 with everything to a Range request",
            right: "takes it from byte 0 into a fresh part, in the same run"
        ) { $0.isFirst ? $0.cut() : $0.serve(.v1) { $0.servesRanges = false } },
        OriginCase(
            "05-deaf-to-if-range", "answers 200 to any If-Range, though the entity is unchanged",
            right: "asks once more without If-Range, compares the validators of the 206, resumes"
        ) { exchange in
            if exchange.isFirst { return exchange.cut() }
            guard exchange.request["if-range"] != nil else { return exchange.serve(.v1) }
            return OriginReply(200, [("ETag", "\"v1\""), ("Accept-Ranges", "bytes")], body: CaseFile.v1.bytes)
        },
        OriginCase(
            "05-deaf-and-changed", "as 05-deaf-to-if-range, but the 206 that follows is of another entity",
            right: "starts over with the new entity"
        ) { exchange in
            if exchange.isFirst { return exchange.cut() }
            guard exchange.request["if-range"] != nil else { return exchange.serve(.v2, tag: "\"v2\"") }
            return OriginReply(200, [("ETag", "\"v1\""), ("Accept-Ranges", "bytes")], body: CaseFile.v1.bytes)
        }.with { $0.files = [.v1, .v2] },
    ]

    private static let fits = "never writes at the wrong offset: discards what does not belong, or starts over"

    private static let shifted = [
        OriginCase("06-starts-earlier", "206 that starts 1,000 bytes earlier than asked", right: fits) {
            $0.isFirst ? $0.cut() : slice($0) { max(0, $0 - 1000) }
        },
        OriginCase("06-starts-later", "206 that starts 1,000 bytes later than asked", right: fits) {
            $0.isFirst ? $0.cut() : slice($0) { $0 + 1000 }
        },
        OriginCase("06-no-content-range", "206 without Content-Range, with everything in it", right: fits) {
            if $0.isFirst { return $0.cut() }
            guard $0.middle != nil else { return $0.serve(.v1) }
            return OriginReply(206, [("ETag", "\"v1\"")], body: CaseFile.v1.bytes)
        },
        OriginCase("07-other-total", "cuts; then a longer entity under the same tag", right: "starts over") {
            $0.isFirst ? $0.cut() : $0.serve(.longer)
        }.with { $0.files = [.v1, .longer] },
    ]

    private static let sliced = [
        OriginCase(
            "08-200-slice", "200 with a Content-Range and only the slice asked for",
            right: "takes it as the slice it says it is, or starts over"
        ) { exchange in
            guard let start = exchange.middle else {
                return exchange.isFirst ? exchange.cut() : exchange.serve(.v1)
            }
            return OriginReply(200, sliceFields(start), body: Array(CaseFile.v1.bytes[start...]))
        },
        OriginCase(
            "09-multipart", "multipart/byteranges to a single range", right: "starts over without Range"
        ) { exchange in
            guard let start = exchange.middle else {
                return exchange.isFirst ? exchange.cut() : exchange.serve(.v1)
            }
            let total = CaseFile.v1.bytes.count
            let head = "--mark\r\nContent-Range: bytes \(start)-\(total - 1)/\(total)\r\n\r\n"
            return OriginReply(
                206, [("ETag", "\"v1\""), ("Content-Type", "multipart/byteranges; boundary=mark")],
                body: Array(head.utf8) + CaseFile.v1.bytes[start...] + Array("\r\n--mark--\r\n".utf8))
        },
    ]

    private static let unsatisfied = [
        OriginCase(
            "10-already-whole", "all bytes, chunked, without the last chunk; then 416 with `bytes */N`",
            right: "complete, after checking"
        ) { $0.isFirst ? unfinished(.v1, bytes: CaseFile.v1.bytes.count) : $0.serve(.v1) },
        OriginCase(
            "10-another-whole", "as 10-already-whole, but the 416 is of another entity of the same size",
            right: "starts over with the new entity"
        ) { exchange in
            if exchange.isFirst { return unfinished(.v1, bytes: CaseFile.v1.bytes.count) }
            return exchange.serve(.v2, tag: "\"v2\"") { $0.obeysIfRange = false }
        }.with { $0.files = [.v1, .v2] },
        OriginCase(
            "11-holds-more", "cuts; then an entity that is shorter than what is held, and 416",
            right: "discards the part, starts over"
        ) {
            $0.isFirst ? unfinished(.v1, bytes: CaseFile.cutBytes) : $0.serve(.shorter)
        }.with { $0.files = [.v1, .shorter] },
        OriginCase(
            "11-bare-416", "416 without Content-Range to every range", right: "discards the part, starts over"
        ) { $0.isFirst ? $0.cut() : $0.middle != nil ? OriginReply(416) : $0.serve(.v1) },
    ]

    private static let weak = [
        OriginCase(
            "12-weak-tag", "only a weak tag, which the next entity shares", right: "no range under it: starts over"
        ) { $0.isFirst ? $0.cut(tag: "W/\"v1\"") : $0.serve(.v2, tag: "W/\"v1\"") }.with { $0.files = [.v1, .v2] },
        OriginCase(
            "12-weak-tag-old-date", "a weak tag and a Last-Modified of days ago", right: "resumes under the date"
        ) { $0.isFirst ? $0.cut(tag: "W/\"v1\"", modified: old) : $0.serve(.v1, tag: "W/\"v1\"", modified: old) },
        OriginCase(
            "12-fresh-date", "a Last-Modified of the same second as the answer, which the next entity shares",
            right: "no range under it: starts over"
        ) { exchange in
            let now = "Tue, 03 Mar 2026 10:00:00 GMT"
            return exchange.isFirst
                ? exchange.cut(tag: nil, modified: now) : exchange.serve(.v2, tag: nil, modified: now)
        }.with { $0.files = [.v1, .v2] },
    ]

    /// A 206 of `v1` from where `start` says, honest about it; everything when no range is asked for.
    private static func slice(_ exchange: CaseExchange, _ start: (Int) -> Int) -> OriginReply {
        guard let asked = exchange.middle else { return exchange.serve(.v1) }
        let first = min(start(asked), CaseFile.v1.bytes.count - 1)
        return OriginReply(206, sliceFields(first), body: Array(CaseFile.v1.bytes[first...]))
    }

    private static func sliceFields(_ start: Int) -> [(String, String)] {
        let total = CaseFile.v1.bytes.count
        return [("ETag", "\"v1\""), ("Content-Range", "bytes \(start)-\(total - 1)/\(total)")]
    }

    /// The first bytes of a file in one chunk, and no last chunk.
    private static func unfinished(_ file: CaseFile, bytes count: Int) -> OriginReply {
        OriginReply(steps: [
            OriginReply.head(
                200,
                [
                    ("Date", "Tue, 03 Mar 2026 10:00:00 GMT"), ("ETag", "\"v1\""), ("Accept-Ranges", "bytes"),
                    ("Content-Type", "application/octet-stream"), ("Transfer-Encoding", "chunked"),
                ]),
            .bytes(OriginReply.chunk(Array(file.bytes[..<count]))), .close,
        ])
    }
}
