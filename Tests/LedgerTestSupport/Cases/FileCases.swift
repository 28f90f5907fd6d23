/// Rows 34 to 44: what stands on the disk, digests, mirrors, ranges in parallel, clocks and secrets.
extension Catalogue {
    static let files = [plain, digests, mirrored, parallel, clocks, secret].flatMap { $0 }

    private static let plain = [
        good(
            "34-taken", "never overwritten or appended to: a numbered name",
            client: "let a file of your own stand under the name", names: ["disk (1).iso", "disk.iso.1"]),
        good(
            "35-planted-link", "not followed out of the directory",
            client: "plant a symbolic link under the name", names: ["disk (1).iso", "disk.iso.1"]),
        OriginCase("36-twice", "serves the file slowly, over about a second", right: "one transfer, all askers get it")
        {
            $0.serve(.v1).paced(pieces: 10, everyMilliseconds: 100)
        }.with { $0.client = "ask for it twice at once" },
        good("37-full-disk", "state kept, waits as disk-full, tried again", client: "let the disk be full for a while")
            .with { $0.isForTools = false },
        good(
            "38-behind-our-back", "said (missing, altered), acted on by policy",
            client: "move, shorten, edit or delete the finished file, or the part after a cut"
        ).with { $0.isForTools = false },
    ]

    private static func good(_ slug: String, _ right: String, client: String, names: [String] = []) -> OriginCase {
        OriginCase(slug, "serves the file in good order", right: right) { $0.serve(.v1) }.with {
            $0.client = client
            $0.names = names
            $0.result = names.isEmpty ? .whole : .name
        }
    }

    private static let digests = [
        OriginCase(
            "39-wrong-digest", "serves another file than the one that is expected",
            right: "fails; kept aside as .rejected, never under the name"
        ) { $0.serve(.v1) }.with {
            $0.files = [.v1, .v2]
            $0.result = .refused
            $0.client = "expect the SHA-256 of the right bytes"
        },
        OriginCase(
            "39-next-mirror", "serves another file than the one that is expected; its mirror serves the right one",
            right: "the next mirror is tried"
        ) { $0.name == "mirror.iso" ? $0.serve(.v2, tag: "\"v2\"") : $0.serve(.v1) }.with {
            $0.files = [.v1, .v2]
            $0.mirrors = ["mirror.iso"]
            $0.client = "expect the SHA-256 of the right bytes; give the mirror too"
        },
    ]

    private static let mirrored = [
        OriginCase(
            "40-mirrors", "the first is dead, one drips, one has another entity, two are good",
            right: "finishes from the good ones, and blames each of the others"
        ) {
            switch $0.name {
            case "dead.iso": OriginReply(steps: [.reset])
            case "other.iso": $0.serve(.v2, tag: "\"v2\"")
            case "slow.iso": $0.drip(everyMilliseconds: 250)
            default: $0.serve(.v1)
            }
        }.with {
            $0.fileName = "dead.iso"
            $0.mirrors = ["slow.iso", "other.iso", "good.iso", "best.iso"]
            $0.client = "give all mirrors, the SHA-256 of the right bytes, and 2 s of silence"
        }
    ]

    private static let parallel = [
        OriginCase(
            "41-one-connection", "answers one connection; 503 to every other one meanwhile",
            right: "falls back to one, finishes"
        ) { $0.isAlone ? $0.serveSlowly(.large) : OriginReply(503) },
        OriginCase(
            "41-resets-others", "answers one connection; resets every other one meanwhile",
            right: "falls back to one, finishes"
        ) {
            $0.isAlone ? $0.serveSlowly(.large) : OriginReply(steps: [.reset])
        },
        OriginCase(
            "42-slow-range", "drips on the second connection, once", right: "the rest of that range goes to others"
        ) {
            $0.number == 1 && !$0.isAlone
                ? $0.drip(.large, everyMilliseconds: 60_000) : $0.serveSlowly(.large)
        },
        OriginCase(
            "42-dead-range", "resets the second connection in its range, once",
            right: "the rest of that range goes to others"
        ) {
            let reply = $0.serveSlowly(.large)
            return $0.number == 1 && !$0.isAlone ? reply.cut(after: 20_000, .reset) : reply
        },
    ].map {
        $0.with {
            $0.files = [.large]
            $0.client = "ask for it in four ranges at once"
        }
    }

    private static let clocks = [
        OriginCase(
            "43-clock-jumps", "503 with Retry-After: 2 first", right: "no stall, no storm: asked again after the 2 s"
        ) { $0.isFirst ? OriginReply(503, [("Retry-After", "2")]) : $0.serve(.v1) }.with {
            $0.client = "set the clock forwards or back while it waits"
            $0.isForTools = false
            $0.waitSecondsMin = 2
        }
    ]

    private static let secret = [
        OriginCase(
            "44-secrets", "redirects to a URL with a token in its query",
            right: "no secret is printed, logged or kept in clear"
        ) {
            guard $0.name == "real.bin" else { return $0.redirect(to: "real.bin?token=t0ps3cret&x=1") }
            return $0.serve(.v1)
        }.with {
            $0.client =
                "send user and password, a Cookie and a header X-Token; look for them, and for t0ps3cret, in"
                + " all that is written"
        }
    ]
}
