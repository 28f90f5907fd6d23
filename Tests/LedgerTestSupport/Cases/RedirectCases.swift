/// Rows 27 to 30: where an origin sends its clients.
extension Catalogue {
    static let redirects = [followed, statuses, refused, elsewhere, forged, resumedBehind].flatMap { $0 }

    private static let followed = [
        followed("27-absolute", "a path") { $0.folder + "/real.bin" },
        followed("27-relative", "a relative reference") { _ in "real.bin" },
        followed("27-parent", "a reference with `..`") { "../" + $0.folder.split(separator: "/")[1] + "/real.bin" },
        followed("27-query", "a query alone") { _ in "?real.bin" },
        followed("27-same-scheme", "`//host:port/path`") {
            String($0.places.main.drop { $0 != "/" }) + $0.folder + "/real.bin"
        },
        followed("27-spaces", "spaces in Location") { $0.folder + "/with space.bin" },
        followed("27-fragment", "a fragment") { $0.folder + "/real.bin#part" },
        OriginCase("27-nine-deep", "nine redirects in a row", right: "followed") {
            deep($0, 9)
        },
    ]

    private static func followed(
        _ slug: String, _ what: String, _ location: @escaping @Sendable (CaseExchange) -> String
    ) -> OriginCase {
        OriginCase(slug, "redirects to \(what)", right: "followed") {
            $0.isFirst ? .redirect(302, to: location($0)) : $0.serve(.v1)
        }
    }

    private static let statuses = [301, 302, 303, 307, 308].map { status in
        OriginCase("27-\(status)", "redirects with \(status)", right: "followed") {
            $0.name == "real.bin" ? $0.serve(.v1) : $0.redirect(status, to: "real.bin")
        }
    }

    private static let refused = [
        OriginCase("27-loop", "redirects in a circle of two", right: "a clear error") {
            $0.redirect(to: $0.name == "other.bin" ? "disk.iso" : "other.bin")
        },
        OriginCase("27-twenty-deep", "twenty redirects in a row", right: "a clear error after its limit") {
            deep($0, 20)
        },
        OriginCase("27-file", "redirects to file:///etc/passwd", right: "a clear error") { _ in
            .redirect(302, to: "file:///etc/passwd")
        },
        OriginCase("27-no-location", "redirects without Location", right: "a clear error") { _ in
            .redirect(302, to: nil)
        },
        OriginCase("27-empty-location", "redirects with an empty Location", right: "a clear error") { _ in
            .redirect(302, to: "")
        },
    ].map { $0.with { $0.result = .refused } }

    private static let drops = "follows, without credentials, cookies and headers that the user set"
    private static let secrets =
        "send user and password, a Cookie and a header X-Token; none may be seen at another host or port"

    private static let elsewhere =
        [
            OriginCase("28-other-host", "redirects to another name of the host", right: drops) {
                $0.name == "real.bin" ? $0.serve(.v1) : $0.redirect(to: "real.bin", at: $0.places.named)
            },
            OriginCase("28-other-port", "redirects to another port", right: drops) {
                $0.name == "real.bin" ? $0.serve(.v1) : $0.redirect(to: "real.bin", at: $0.places.other)
            },
            OriginCase("28-and-back", "redirects to another port, and that one back", right: drops + ", also back home")
            {
                switch $0.name {
                case "real.bin": $0.serve(.v1)
                case "there": $0.redirect(to: "real.bin", at: $0.places.main)
                default: $0.redirect(to: "there", at: $0.places.other)
                }
            },
        ].map {
            $0.with {
                $0.withholds = true
                $0.client = secrets
            }
        } + [
            OriginCase("28-downgrade", "redirects from https to http", right: "refused unless allowed") {
                $0.name == "real.bin" ? $0.serve(.v1) : $0.redirect(to: "real.bin", at: $0.places.plain)
            }.with {
                $0.result = .refused
                $0.isSecureOnly = true
            }
        ]

    private static let forged = [
        OriginCase("29-to-loopback", "redirects to a port of loopback", right: "refused when serving API clients") {
            $0.name == "real.bin" ? $0.serve(.v1) : $0.redirect(to: "real.bin", at: $0.places.other)
        },
        OriginCase("29-to-name", "redirects to a name of loopback", right: "refused when serving API clients") {
            $0.name == "real.bin" ? $0.serve(.v1) : $0.redirect(to: "real.bin", at: $0.places.named)
        },
    ].map {
        $0.with {
            $0.result = .refused
            $0.client = "ask for it under a public name, by way of this server as an HTTP proxy, for an API client"
            $0.isForTools = false
        }
    }

    private static let resumedBehind = [
        OriginCase("30-resume", "redirects each time; cuts the first body", right: "keeps Range through the redirect") {
            guard $0.name == "real.bin" else { return $0.redirect(to: "real.bin", at: $0.places.other) }
            return $0.number < 2 ? $0.cut() : $0.serve(.v1)
        },
        OriginCase(
            "30-changed", "redirects each time; cuts the first body; then another entity stands there",
            right: "compares the validators at the final origin: starts over"
        ) {
            guard $0.name == "real.bin" else { return $0.redirect(to: "real.bin", at: $0.places.other) }
            return $0.number < 2 ? $0.cut() : $0.serve(.v2, tag: "\"v2\"") { $0.obeysIfRange = false }
        }.with { $0.files = [.v1, .v2] },
        OriginCase(
            "30-other-mirror",
            "redirects to another mirror after the first cut its body; there is another file under the same tag",
            right: "carries on at the first mirror, or begins anew at the other: never both"
        ) {
            switch $0.name {
            case "one.bin": $0.number < 2 ? $0.cut() : $0.serve(.v1)
            case "two.bin": $0.serve(.v2, tag: "\"v1\"")
            default: $0.redirect(to: $0.isFirst ? "one.bin" : "two.bin")
            }
        }.with { $0.files = [.v2, .v1] },
    ]

    /// So many redirects, numbered in their names; then the file.
    private static func deep(_ exchange: CaseExchange, _ redirects: Int) -> OriginReply {
        let hop = Int(exchange.name) ?? 0
        return hop < redirects ? exchange.redirect(to: String(hop + 1)) : exchange.serve(.v1)
    }
}
