import LedgerAPI
import LedgerCoding
import LedgerEngine
import LedgerHolder
import LedgerModel
import LedgerSystem
import LedgerTestSupport
import SystemPackage
import Testing

@testable import LedgerAria2

/// What a client can not do: leave the directory, forge a head, have a program run, read a secret.
struct SafetyTests {
    @Test func `a URL that was shown without its secrets is none once nobody knows them`() async throws {
        try await Aria2Fixture.run {
            $0.works = false
        } _: { fixture in
            let gid = try await fixture.add("/a?token=s3cret&b=1")
            let shown = try #require(try await fixture.call("aria2.getUris", gid)[0]?["uri"]?.string)
            #expect(shown.contains("token=REDACTED"))
            #expect(try await fixture.refusal("aria2.addUri", [[.string(shown)]]) == nil, "it is known")
            let other = shown.replacing("/a?", with: "/b?")
            #expect(
                try await fixture.refusal("aria2.addUri", [[.string(other)]])?
                    .contains("written down without its secrets") ?? false)
        }
    }

    @Test func `files stay in the directory of clients, whatever they are called`() async throws {
        try await Aria2Fixture.run {
            $0.works = false
        } _: { fixture in
            let urls: JSONValue = [try fixture.url("/a")]
            try fixture.service.ledger.world.fileSystem.createDirectory(
                fixture.downloads.appending("folder"), permissions: 0o755)
            for (name, text) in [
                ("out", "../x"), ("out", "a/../../x"), ("out", ".."), ("out", "folder"), ("out", "a\nb"),
                ("out", "/../x"), ("dir", "/etc"), ("dir", "../"), ("dir", fixture.root.string),
                ("dir", fixture.downloads.string + "/../home"),
            ] {
                var options: JSONObject = [:]
                options[name] = .string(text)
                #expect(
                    try await fixture.refusal("aria2.addUri", [urls, .object(options)])
                        == Fault.option(name).message, "\(name) \(text)")
                guard name == "dir" else { continue }
                #expect(
                    try await fixture.refusal("aria2.changeGlobalOption", [.object(options)])
                        == Fault.option(name).message, "\(name) \(text)")
            }
            #expect(try await fixture.waiting().isEmpty)
            // Below the directory is as good as in it; aria2 takes a name that begins with a slash for one, too.
            for (out, path) in [("sub/x", "/sub/x"), ("/y", "/y")] {
                let gid = try await fixture.call("aria2.addUri", urls, ["out": .string(out)])
                let files = try await fixture.call("aria2.getFiles", gid)
                #expect(files[0]?["path"]?.string == fixture.downloads.string + path)
            }
        }
    }

    @Test func `no option forges a head`() async throws {
        try await Aria2Fixture.run {
            $0.works = false
        } _: { fixture in
            let urls: JSONValue = [try fixture.url("/a")]
            for (name, value) in [
                ("header", "A: 1\r\nEvil: 2"), ("header", "no field"), ("header", "Bad Name: 1"),
                ("header", "A: 1\u{0}"), ("header", ["A: 1", "B: 2\r\n\r\nGET / HTTP/1.1"]),
                ("user-agent", "x\r\nEvil: 1"), ("referer", "http://x/\r\nEvil: 1"), ("user-agent", "x\nEvil: 1"),
                ("http-user", "ada\r\nEvil: 1"),
            ] as [(String, JSONValue)] {
                var options: JSONObject = [:]
                options[name] = value
                #expect(
                    try await fixture.refusal("aria2.addUri", [urls, .object(options)])
                        == Fault.option(name).message, "\(name) \(value)")
                let isRefused = try await fixture.refusal("aria2.changeGlobalOption", [.object(options)]) != nil
                #expect(isRefused, "\(name) \(value)")
            }
            #expect(try await fixture.waiting().isEmpty)
        }
    }

    @Test func `heads are sent as they are given, each by itself`() async throws {
        try await Aria2Fixture.run { fixture in
            fixture.origin.on("/a") { OriginEntity([1]).reply(to: $0) }
            let gid = try await fixture.add(
                "/a",
                [
                    "header": ["X-A: 1", "X-B: 2"], "referer": "*", "user-agent": "own/1", "http-user": "ada",
                    "http-passwd": "s3cret", "http-no-cache": "true",
                ])
            try await fixture.until(gid, "complete")
            let request = try #require(fixture.origin.requests.first)
            #expect(request["x-a"] == "1" && request["x-b"] == "2" && request["user-agent"] == "own/1")
            #expect(try request["referer"] == fixture.origin.url("/a").text)
            #expect(request["authorization"] == "Basic YWRhOnMzY3JldA==" && request["cache-control"] == "no-cache")
        }
    }

    @Test func `no option has a program run, or names a file of this machine`() async throws {
        let barred = OptionSpec.all.values.filter { if case .barred = $0.form { true } else { false } }.map(\.name)
        for name in [
            "on-download-start", "on-download-complete", "on-download-error", "on-download-pause", "on-download-stop",
            "on-bt-download-complete", "conf-path", "input-file", "load-cookies", "save-cookies", "save-session", "log",
            "netrc-path", "private-key", "certificate", "ca-certificate", "rpc-secret", "rpc-passwd",
        ] { #expect(barred.contains(name)) }
        try await Aria2Fixture.run {
            $0.works = false
        } _: { fixture in
            for name in barred {
                var options: JSONObject = [:]
                options[name] = "/bin/true"
                let words = Fault.option(name).message
                let added = try await fixture.refusal("aria2.addUri", [["http://example.org/"], .object(options)])
                let changed = try await fixture.refusal("aria2.changeGlobalOption", [.object(options)])
                #expect(added == words && changed == words, "\(name)")
            }
        }
    }

    @Test func `nothing that opens doors is in any answer`() async throws {
        try await Aria2Fixture.run { fixture in
            fixture.origin.on("/a") { _ in OriginReply(403) }
            try await fixture.call(
                "aria2.changeGlobalOption",
                [
                    "http-user": "grace", "http-passwd": "s3cret-1", "all-proxy-passwd": "s3cret-2",
                    "ftp-passwd": "s3cret-3",
                ])
            let url = try fixture.origin.url("/a").text.replacing("http://", with: "http://ada:s3cret-4@")
            let gid = try await fixture.call(
                "aria2.addUri", [.string(url + "?token=s3cret-5&page=7"), .string(url + "?sig=s3cret-6")],
                [
                    "header": [
                        "Authorization: Bearer s3cret-7", "Cookie: id=s3cret-8", "X-Api-Key: s3cret-9",
                        "Proxy-Authorization: s3cret-10", "X-Plain: shown", "X-From: http://ada:s3cret-15@example.org/",
                    ], "referer": "http://ada:s3cret-16@example.org/?page=8&token=s3cret-17",
                    "bt-tracker": "http://example.org/announce?passkey=1&auth=s3cret-18",
                    "http-proxy": "http://bob:s3cret-19@proxy.example.org", "http-passwd": "s3cret-11",
                    "http-proxy-passwd": "s3cret-12",
                    "https-proxy": "http://bob:s3cret-13@proxy.example.org:3128", "no-proxy": "127.0.0.1",
                    "pause": "true",
                ])
            // What has failed takes no option any more: it waits until this one is given.
            try await fixture.call("aria2.changeOption", gid, ["max-tries": "2"])
            try await fixture.call("aria2.unpause", gid)
            try await fixture.until(gid, "error")
            let torrent = try await fixture.call("aria2.addTorrent", "ZGU=", [], ["http-passwd": "s3cret-14"])
            var answers: [JSONValue] = []
            for method in ["aria2.tellStatus", "aria2.getOption", "aria2.getFiles"] {
                answers.append(try await fixture.call(method, gid))
                answers.append(try await fixture.call(method, torrent))
            }
            answers.append(try await fixture.call("aria2.tellStopped", 0, 10))
            answers.append(try await fixture.call("aria2.getGlobalOption"))
            for answer in answers { #expect(!answer.description.contains("s3cret"), "\(answer)") }
            let shown = answers[2]
            #expect(shown["header"] == "X-Plain: shown\nX-From: http://REDACTED@example.org/\n")
            #expect(shown["referer"] == "http://REDACTED@example.org/?page=8&token=REDACTED")
            #expect(shown["https-proxy"] == "http://proxy.example.org:3128/")
            #expect(answers[4].description.contains("page=7"), "what is no secret is shown")
            // And yet they were sent.
            let request = try #require(fixture.origin.requests.first)
            #expect(request["x-api-key"] == "s3cret-9" && request["cookie"] == "id=s3cret-8")
            #expect(request.target.contains("s3cret-5"))
        }
    }

    @Test func `clients reach no private network and name no proxy, unless they may`() async throws {
        try await Aria2Fixture.run { wishes in
            wishes.works = false
            wishes.allowsPrivateAddresses = false
        } _: { fixture in
            let outside: JSONValue = ["http://example.org/a"]
            #expect(try await fixture.refusal("aria2.addUri", [[try fixture.url("/a")]]) != nil)
            #expect(
                try await fixture.refusal("aria2.addUri", [["http://example.org/a", "http://10.0.0.1/a"]]) != nil)
            #expect(
                try await fixture.refusal("aria2.addUri", [outside, ["all-proxy": "http://example.org:80"]]) != nil)
            for proxy in ["all-proxy", "http-proxy", "https-proxy"] {
                var options: JSONObject = [:]
                options[proxy] = "http://example.org:80"
                #expect(try await fixture.refusal("aria2.changeGlobalOption", [.object(options)]) != nil)
            }
            #expect(try await fixture.waiting().isEmpty)
            let gid = try await fixture.call("aria2.addUri", outside)
            #expect(
                try await fixture.refusal("aria2.changeUri", [gid, 1, outside, ["http://127.0.0.1/a"]]) != nil)
            #expect(
                try await fixture.refusal("aria2.changeUri", [gid, 1, [], ["http://[::1]/a"]]) != nil)
            #expect(try await fixture.call("aria2.getUris", gid).list.map { $0["uri"] } == outside.list)
        }
    }

    @Test func `a secret opens what it is for, and is asked for in each call`() async throws {
        let clock = ManualClock(Timestamp(milliseconds: 1_800_000_000_000))
        try await Aria2Fixture.run { wishes in
            wishes.works = false
            wishes.world = .timed(by: clock)
            wishes.secrets = ["look": .read, "do": .write, "all": .admin]
        } _: { fixture in
            let uris: JSONValue = ["http://example.org/"]
            let may: [(String, [JSONValue], Set<String>)] = [
                ("aria2.getVersion", [], ["look", "do", "all"]), ("aria2.tellActive", [], ["look", "do", "all"]),
                ("aria2.addUri", [uris], ["do", "all"]), ("aria2.pauseAll", [], ["do", "all"]),
                ("aria2.changeGlobalOption", [[:]], ["all"]), ("aria2.shutdown", [], ["all"]),
            ]
            for secret in ["look", "do", "all", "wrong", ""] {
                for (method, parameters, secrets) in may {
                    let call = [.string("token:" + secret)] + parameters
                    let refusal = try await clock.passes { try await fixture.refusal(method, call) }
                    #expect(refusal == (secrets.contains(secret) ? nil : "Unauthorized"), "\(secret) \(method)")
                }
            }
            // Without a secret only the lists of names are told.
            #expect(try await fixture.call("system.listMethods").list.count == 36)
            #expect(try await fixture.call("system.listNotifications").list.count == 6)
            let answers = try await clock.passes {
                try await fixture.call(
                    "system.multicall",
                    [
                        ["methodName": "aria2.tellActive", "params": ["token:look"]],
                        ["methodName": "aria2.pauseAll", "params": ["token:look"]],
                        ["methodName": "aria2.tellActive"],
                    ])
            }
            let unauthorized: JSONValue = ["code": 1, "message": "Unauthorized"]
            #expect(answers.list == [[[]], unauthorized, unauthorized])
        }
    }
}
