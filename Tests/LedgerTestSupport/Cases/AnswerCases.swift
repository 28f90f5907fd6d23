import LedgerModel

/// Rows 22 to 26: answers that are not the file.
extension Catalogue {
    static let answers = [passing, busy, final, pages].flatMap { $0 }

    private static let passing =
        [500, 502, 504, 408].map { status in
            OriginCase("22-\(status)", "\(status) to the first request", right: "tried again, later each time") {
                $0.isFirst ? $0.page(status) : $0.serve(.v1)
            }
        }
        + [
            OriginCase("22-reset", "a reset instead of an answer", right: "tried again, later each time") {
                $0.isFirst ? OriginReply(steps: [.reset]) : $0.serve(.v1)
            },
            OriginCase("22-closes", "closes instead of an answer", right: "tried again, later each time") {
                $0.isFirst ? OriginReply(steps: [.close]) : $0.serve(.v1)
            },
        ]

    private static let busy = [
        busy("23-429-seconds", 429, "Retry-After: 2") { _ in "2" },
        busy("23-503-seconds", 503, "Retry-After: 2") { _ in "2" },
        busy("23-503-date", 503, "Retry-After of a date 3 seconds from now") {
            DateText.make($0.now.advanced(by: .seconds(3)))
        },
        OriginCase("23-503-unreadable", "503 with a Retry-After that is no time", right: "tried again") {
            $0.isFirst ? OriginReply(503, [("Retry-After", "soon")]) : $0.serve(.v1)
        },
        OriginCase("23-503-years", "503 with Retry-After: 99999999", right: "waits as long as its cap says") {
            $0.isFirst ? OriginReply(503, [("Retry-After", "99999999")]) : $0.serve(.v1)
        }.with {
            $0.result = .waits
            $0.waitSecondsMin = 10
        },
    ]

    private static func busy(
        _ slug: String, _ status: Int, _ words: String, _ value: @escaping @Sendable (CaseExchange) -> String
    ) -> OriginCase {
        OriginCase(slug, "\(status) with \(words)", right: "waits that long, then tries again") {
            $0.isFirst ? OriginReply(status, [("Retry-After", value($0))]) : $0.serve(.v1)
        }.with { $0.waitSecondsMin = 2 }
    }

    private static let final = [400, 401, 403, 404, 410, 451].map { status in
        OriginCase("24-\(status)", "\(status), always", right: "fails at once, with the status in its words") {
            $0.page(status)
        }.with {
            $0.result = .refused
            $0.requestsMax = 1
        }
    }

    private static let pages = [
        OriginCase("25-error-page", "cuts; then 500 with a page; then the rest", right: "the page is in no file") {
            $0.isFirst ? $0.cut() : $0.number == 1 ? $0.page(500) : $0.serve(.v1)
        },
        OriginCase("25-gone-page", "cuts; then 404 with a page, always", right: "fails; the part is untouched") {
            $0.isFirst ? $0.cut() : $0.page(404)
        }.with { $0.result = .refused },
        OriginCase(
            "26-login-page", "cuts; then 200 with a web page, once", right: "reported, the good bytes kept, tried again"
        ) { $0.isFirst ? $0.cut() : $0.number == 1 ? $0.page(200, .loginPage) : $0.serve(.v1) },
        OriginCase("26-page-for-digest", "200 with a web page, always", right: "reported as suspicious, no file") {
            $0.page(200, .loginPage)
        }.with {
            $0.result = .refused
            $0.client = "expect the SHA-256 of the right bytes"
        },
        OriginCase("26-page-for-type", "200 with a web page, always", right: "reported as suspicious, no file") {
            $0.page(200, .loginPage)
        }.with {
            $0.result = .refused
            $0.client = "expect the type application/octet-stream (--expect-type)"
        },
    ]
}
