import LedgerAPI
import LedgerCoding
import LedgerEngine
import LedgerHolder
import LedgerModel
import LedgerTestSupport
import LedgerTransfer
import SystemPackage
import Testing

@testable import LedgerAria2

/// Options: what counts, what is shown, what is refused.
struct OptionTests {
    private func options(_ gid: JSONValue, _ fixture: Aria2Fixture) async throws -> JSONValue {
        try await fixture.call("aria2.getOption", gid)
    }

    private func order(_ gid: JSONValue, _ fixture: Aria2Fixture) async throws -> Order {
        guard case .download(let item) = try await fixture.endpoint.find(gid.string ?? "") else {
            throw Refused(status: 0, code: 0, message: "no download")
        }
        return item.download.order
    }

    @Test func `the table has every option once, and its defaults are values of it`() throws {
        #expect(OptionSpec.all.count == OptionTable.text.split(separator: "\n").count)
        for spec in OptionSpec.all.values {
            guard let standard = spec.standard else { continue }
            #expect(try spec.normalized(standard) == standard, "\(spec.name)")
        }
    }

    @Test func `sizes are shown in bytes, and what is no value is refused by the option's name`() throws {
        for (name, text, shown) in [
            ("max-download-limit", "20K", "20480"), ("min-split-size", "1M", "1048576"), ("split", "07", "7"),
            ("max-overall-download-limit", "1m", "1048576"), ("seed-ratio", "0.5", "0.5"),
        ] { #expect(try OptionSpec.all[name]?.normalized(text) == shown) }
        for (name, text) in [
            ("max-download-limit", "K"), ("max-download-limit", "-1"), ("max-download-limit", "1G"),
            ("max-download-limit", "99999999999999999999"), ("max-download-limit", "9223372036854775807M"),
            ("split", "0"), ("timeout", "601"), ("remote-time", "yes"), ("file-allocation", "bad"),
            ("seed-ratio", "-1"), ("user-agent", "a\0b"), ("on-download-complete", "rm"),
        ] { #expect(throws: Fault.option(name)) { try OptionSpec.all[name]?.normalized(text) } }
    }

    @Test func `what is given when it is added counts, is shown, and is over what holds for all`() async throws {
        try await Aria2Fixture.run {
            $0.works = false
        } _: { fixture in
            try await fixture.call(
                "aria2.changeGlobalOption",
                ["max-download-limit": "10K", "split": "3", "user-agent": "all/1", "retry-wait": "7", "out": "x"])
            let plain = try await fixture.add("/a")
            let own = try await fixture.add(
                "/b",
                [
                    "max-download-limit": "1M", "max-connection-per-server": "2", "max-tries": "1", "timeout": "5",
                    "user-agent": "own/1", "checksum": "sha-1=2fd4e1c67a2d28fced849ee1bb76e7391b93eb12",
                    "remote-time": "true", "allow-overwrite": "true", "unknown": "1", "header": ["A: 1", "B: 2"],
                ])
            let all = try await options(plain, fixture)
            #expect(all["max-download-limit"] == "10240" && all["split"] == "3" && all["retry-wait"] == "7")
            #expect(all["user-agent"] == "all/1" && all["out"] == nil, "a name is of one download")
            let shown = try await options(own, fixture)
            for (name, value) in [
                ("max-download-limit", "1048576"), ("split", "3"), ("max-connection-per-server", "2"),
                ("max-tries", "1"), ("timeout", "5"), ("user-agent", "own/1"), ("remote-time", "true"),
                ("allow-overwrite", "true"), ("header", "A: 1\nB: 2\n"), ("retry-wait", "7"),
                ("checksum", "sha-1=2fd4e1c67a2d28fced849ee1bb76e7391b93eb12"),
            ] { #expect(shown[name] == .string(value), "\(name)") }
            #expect(shown["unknown"] == nil && shown["gid"] == nil)
            let order = try await order(own, fixture)
            let transfer = order.options.value
            #expect(transfer.bytesPerSecondMax == 1 << 20 && transfer.retriesMax == 0 && transfer.rangesMax == 2)
            #expect(transfer.silenceMillisecondsMax == 5000 && transfer.keepsRemoteTime)
            #expect(transfer.headerNames == ["A", "B"] && order.destination.collision == .overwrite)
            try await fixture.call("aria2.changeGlobalOption", ["max-download-limit": "0"])
            #expect(try await options(plain, fixture)["max-download-limit"] == "10240", "what was added stays")
        }
    }

    @Test func `what is changed counts, and what stays as it is ordered is refused`() async throws {
        try await Aria2Fixture.run {
            $0.works = false
        } _: { fixture in
            let gid = try await fixture.add("/a", ["out": "name", "max-download-limit": "1K"])
            let change: JSONValue = [
                "max-download-limit": "0", "max-tries": "0", "timeout": "9", "split": "4",
                "max-connection-per-server": "8", "out": "name", "no-such": "1", "gid": "00000000000000aa",
            ]
            #expect(try await fixture.call("aria2.changeOption", gid, change) == "OK")
            let shown = try await options(gid, fixture)
            for (name, value) in [
                ("max-download-limit", "0"), ("max-tries", "0"), ("timeout", "9"), ("split", "4"),
                ("max-connection-per-server", "8"), ("out", "name"),
            ] { #expect(shown[name] == .string(value), "\(name)") }
            let transfer = try await order(gid, fixture).options.value
            #expect(transfer.bytesPerSecondMax == nil && transfer.retriesMax == .max && transfer.rangesMax == 4)
            for (name, value) in [
                ("out", "other"), ("header", "A: 1"), ("dir", "/elsewhere"), ("http-user", "ada"),
                ("http-passwd", "s3cret"), ("all-proxy", "http://proxy.example.org"), ("checksum", "md5=00"),
            ] as [(String, JSONValue)] {
                var change: JSONObject = [:]
                change[name] = value
                #expect(
                    try await fixture.refusal("aria2.changeOption", [gid, .object(change)])
                        == Fault.option(name).message)
            }
        }
    }

    @Test func `what is changed for all holds at once, and is shown`() async throws {
        try await Aria2Fixture.run { wishes in
            wishes.works = false
            wishes.reported = ["rpc-listen-port": "6811", "rpc-secure": "true"]
        } _: { fixture in
            let sub = fixture.downloads.appending("sub").string
            try await fixture.call(
                "aria2.changeGlobalOption",
                [
                    "max-concurrent-downloads": "7", "max-overall-download-limit": "2M", "dir": .string(sub),
                    "rpc-listen-port": "1", "no-such": "1",
                ])
            let limits = try await fixture.service.limit(LimitChange())
            #expect(limits.runningMax == 7 && limits.bytesPerSecondMax == 2 << 20)
            let all = try await fixture.call("aria2.getGlobalOption")
            for (name, value) in [
                ("max-concurrent-downloads", "7"), ("max-overall-download-limit", "2097152"), ("dir", sub),
                ("rpc-listen-port", "6811"), ("rpc-secure", "true"),
            ] { #expect(all[name] == .string(value), "\(name)") }
            #expect(all["no-such"] == nil && all["rpc-secret"] == nil)
            #expect(try await order(fixture.add("/a"), fixture).destination.directory == sub)
        }
    }

    @Test func `what getOption says can be given again, as clients do that try again`() async throws {
        try await Aria2Fixture.run { fixture in
            let gid = try await fixture.add("/none", ["header": ["A: 1"], "out": "name", "split": "2"])
            try await fixture.until(gid, "error")
            let shown = try await options(gid, fixture)
            fixture.origin.on("/none") { OriginEntity([1, 2, 3]).reply(to: $0) }
            let again = try await fixture.call("aria2.addUri", [try fixture.url("/none")], shown)
            try await fixture.call("aria2.removeDownloadResult", gid)
            try await fixture.until(again, "complete")
            #expect(again != gid)
            #expect(try await options(again, fixture) == shown)
            let file = try await fixture.call("aria2.getFiles", again)[0]?["path"]?.string
            #expect(file == fixture.downloads.appending("name").string)
        }
    }

    @Test func `what is shown of a download can be said again, and changes nothing`() async throws {
        try await Aria2Fixture.run {
            $0.works = false
        } _: { fixture in
            try await fixture.call("aria2.changeGlobalOption", ["https-proxy": "http://bob:s3cret@proxy.example.org"])
            let gid = try await fixture.add(
                "/a",
                [
                    "header": ["A: 1", "Cookie: id=s3cret"], "referer": "http://ada:s3cret@example.org/?token=s3cret",
                    "user-agent": "own/1", "out": "name", "http-user": "ada", "http-passwd": "s3cret",
                    "no-proxy": "a.example", "all-proxy": "http://bob:s3cret@proxy.example.org:1", "timeout": "60",
                    "checksum": "sha-1=2FD4E1C67A2D28FCED849EE1BB76E7391B93EB12", "auto-file-renaming": "false",
                ])
            guard case .download(let item) = try await fixture.endpoint.find(gid.string ?? "") else { return }
            // Longer than aria2 knows: asked for over another way.
            var change = ChangeRequest()
            change.silenceMillisecondsMax = 3_600_000
            try await fixture.endpoint.act(.change(change), on: item)
            let shown = try await options(gid, fixture)
            #expect(shown["no-proxy"] == "a.example" && shown["auto-file-renaming"] == "false")
            #expect(shown["timeout"] == "600" && !shown.description.contains("s3cret"))
            let before = fixture.service.ledger.lastSequence
            #expect(try await fixture.call("aria2.changeOption", gid, shown) == "OK")
            guard case .object(let members) = shown else { return #expect(Bool(false)) }
            for member in members.members {
                let change: JSONValue = .object([member.name: member.value])
                #expect(try await fixture.refusal("aria2.changeOption", [gid, change]) == nil, "\(change)")
            }
            #expect(fixture.service.ledger.lastSequence == before)
            #expect(try await options(gid, fixture) == shown)
            // And what differs by little is still told apart.
            let others: [JSONValue] = [
                ["header": "A: 2\n"], ["referer": "http://example.org/"], ["http-passwd": "x"],
            ]
            for change in others {
                #expect(try await fixture.refusal("aria2.changeOption", [gid, change]) != nil, "\(change)")
            }
        }
    }

    @Test func `what holds anyway, said for all, holds for what is added`() async throws {
        try await Aria2Fixture.run {
            $0.works = false
        } _: { fixture in
            #expect(try await fixture.call("aria2.getGlobalOption")["max-connection-per-server"] == "1")
            #expect(try await order(try await fixture.add("/a"), fixture).options.value.rangesMax == nil)
            try await fixture.call("aria2.changeGlobalOption", ["max-connection-per-server": "1", "split": "5"])
            #expect(try await order(try await fixture.add("/b"), fixture).options.value.rangesMax == 1)
        }
    }

    @Test func `what is shown of all can be said again, and takes no secret away`() async throws {
        try await Aria2Fixture.run {
            $0.works = false
        } _: { fixture in
            let all: JSONValue = [
                "http-proxy": "http://bob:s3cret@proxy.example.org:1", "header": ["A: 1", "Cookie: id=s3cret"],
                "referer": "http://example.org/?token=s3cret", "no-proxy": "a.example", "lowest-speed-limit": "0",
            ]
            try await fixture.call("aria2.changeGlobalOption", all)
            let shown = try await fixture.call("aria2.getGlobalOption")
            #expect(!shown.description.contains("s3cret") && shown["no-proxy"] == "a.example")
            #expect(try await fixture.call("aria2.changeGlobalOption", shown) == "OK")
            #expect(try await fixture.call("aria2.getGlobalOption") == shown)
            let global = fixture.endpoint.memory.global
            #expect(global["http-proxy"] == "http://bob:s3cret@proxy.example.org:1")
            #expect(global["header"] == "A: 1\nCookie: id=s3cret\n")
            #expect(global["referer"] == "http://example.org/?token=s3cret")
        }
    }

    @Test func `what would change the outcome and is not done here is refused, not promised`() async throws {
        try await Aria2Fixture.run {
            $0.works = false
        } _: { fixture in
            for (name, value, only) in [
                ("dry-run", "true", "false"), ("hash-check-only", "true", "false"),
                ("parameterized-uri", "true", "false"), ("lowest-speed-limit", "1K", "0"),
            ] as [(String, JSONValue, JSONValue)] {
                for method in ["aria2.addUri", "aria2.changeGlobalOption"] {
                    let uris: [JSONValue] = method == "aria2.addUri" ? [["http://example.org/"]] : []
                    let refused = try await fixture.refusal(method, uris + [.object([name: value])])
                    let words = "'\(only.string ?? "")' is all that it takes."
                    #expect(refused?.hasPrefix(Fault.option(name).message) ?? false, "\(method) \(name)")
                    #expect(refused?.hasSuffix(words) ?? false, "\(method) \(name)")
                    #expect(try await fixture.refusal(method, uris + [.object([name: only])]) == nil)
                }
            }
            for (name, value) in [
                ("checksum", "crc32=00"), ("checksum", "sha-256=00"), ("all-proxy", "ftp://x:y:z"),
            ] as [(String, JSONValue)] {
                var options: JSONObject = [:]
                options[name] = value
                let refused = try await fixture.refusal(
                    "aria2.addUri", [["http://example.org/"], .object(options)])
                #expect(refused == Fault.option(name).message)
            }
            _ = try await fixture.add("/a", ["dry-run": "false", "lowest-speed-limit": "0"])
        }
    }
}
