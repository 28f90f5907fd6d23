import LedgerCoding
import LedgerEngine
import LedgerHolder
import LedgerModel
import LedgerSystem
import LedgerTestSupport
import SystemPackage
import Testing

@testable import LedgerAria2

/// What is not fetched here, and what is made of a Metalink.
struct ForeignTests {
    @Test func `a torrent and a magnet link get a name, and say at once why nothing comes`() async throws {
        try await Aria2Fixture.run {
            $0.works = false
        } _: { fixture in
            let torrent = try await fixture.call("aria2.addTorrent", "ZDQ6aW5mb2Rl", [], ["max-tries": "2"])
            let magnet = try await fixture.call(
                "aria2.addUri", ["MAGNET:?xt=urn:btih:00"], ["gid": "00000000000000aa"])
            #expect(magnet == "00000000000000aa" && torrent.string?.utf8.count == 16)
            for (gid, code, word) in [(torrent, "26", "BitTorrent"), (magnet, "27", "Magnet")] {
                let status = try await fixture.call("aria2.tellStatus", gid)
                #expect(status["status"] == "error" && status["errorCode"] == .string(code))
                #expect(status["errorMessage"]?.string?.contains(word) ?? false)
                #expect(status["files"]?.list.count == 1 && status["totalLength"] == "0")
                #expect(try await fixture.call("aria2.getFiles", gid).list.count == 1)
                #expect(try await fixture.call("aria2.getOption", gid)["split"] == "5")
                for method in ["aria2.getUris", "aria2.getServers", "aria2.getPeers", "aria2.pause", "aria2.remove"] {
                    #expect(try await fixture.refusal(method, [gid]) != nil, "\(method)")
                }
            }
            #expect(try await fixture.call("aria2.getOption", torrent)["max-tries"] == "2")
            #expect(try await fixture.call("aria2.getGlobalStat")["numStopped"] == "2")
            #expect(try await fixture.call("aria2.removeDownloadResult", torrent) == "OK")
            #expect(try await fixture.call("aria2.tellStopped", 0, 9, ["gid"]).list == [["gid": magnet]])
            #expect(try await fixture.refusal("aria2.addTorrent", ["bm8="]) == "Bencode decoding failed")
        }
    }

    @Test func `results of what is not fetched are bounded, the oldest goes first`() async throws {
        try await Aria2Fixture.run {
            $0.works = false
        } _: { fixture in
            let calls = JSONValue.array(
                (1...StoppedList.foreignMax + 1).map { number in
                    [
                        "methodName": "aria2.addTorrent",
                        "params": ["ZGU=", [], ["gid": .string(GID(UInt64(number)).description)]],
                    ]
                })
            #expect(try await fixture.call("system.multicall", calls).list.count == StoppedList.foreignMax + 1)
            #expect(try await fixture.refusal("aria2.tellStatus", [.string(GID(1).description)]) != nil)
            #expect(try await fixture.status(.string(GID(2).description)) == "error")
            let figures = try await fixture.call("aria2.getGlobalStat")
            #expect(figures["numStopped"] == .string("\(StoppedList.foreignMax)"))
            #expect(figures["numStoppedTotal"] == .string("\(StoppedList.foreignMax + 1)"), "all that ever were")
        }
    }

    @Test func `each file of a Metalink is a download, with its mirrors and its sums`() async throws {
        try await Aria2Fixture.run { fixture in
            let content = OriginEntity.pattern(1000)
            fixture.origin.on("/a") { OriginEntity(content).reply(to: $0) }
            let document = """
                <metalink xmlns="urn:ietf:params:xml:ns:metalink">
                <file name="one"><size>1000</size><url priority="2">http://mirror.example.org/a</url>
                <url priority="1">\(try fixture.origin.url("/a").text)</url></file>
                <file name="folder/two"><hash type="sha-256">\(String(repeating: "0", count: 64))</hash>
                <url>\(try fixture.origin.url("/a").text)</url></file>
                </metalink>
                """
            let gids = try await fixture.call(
                "aria2.addMetalink", .string(base64(document)), ["gid": "00000000000000aa", "out": "ignored"])
            #expect(gids.list.count == 2 && !gids.list.contains("00000000000000aa"))
            let first = try #require(gids[0])
            let second = try #require(gids[1])
            try await fixture.until(first, "complete")
            try await fixture.until(second, "error")
            #expect(try await fixture.call("aria2.tellStatus", second, ["errorCode"]) == ["errorCode": "32"])
            let disk = fixture.service.ledger.world.fileSystem
            #expect(try disk.contents(of: fixture.downloads.appending("one")) == content)
            #expect(try disk.contents(of: fixture.downloads.appending("folder/two")) == nil)
        }
    }

    @Test(arguments: ["../two", "/etc/two", "a/../two", "./two", "a/./two", "two/", "a&#9;b"])
    func `a Metalink with a name that leads elsewhere is refused as a whole`(name: String) async throws {
        try await Aria2Fixture.run {
            $0.works = false
        } _: { fixture in
            func document(_ name: String) -> JSONValue {
                .string(
                    base64(
                        """
                        <metalink xmlns="urn:ietf:params:xml:ns:metalink">
                        <file name="one"><url>http://example.org/one</url></file>
                        <file name="\(name)"><url>http://example.org/two</url></file></metalink>
                        """))
            }
            let refusal = try await fixture.refusal("aria2.addMetalink", [document(name), ["out": "x"]])
            #expect(refusal?.hasPrefix("Specification violation: Bad file@name, '") ?? false)
            #expect(name.contains("&") || refusal?.contains("'\(name)' in line 3") ?? false)
            #expect(try await fixture.refusal("aria2.addMetalink", [document("..")]) != nil)
            #expect(try await fixture.waiting().isEmpty)
            #expect(try await fixture.call("aria2.addMetalink", document("a/..two")).list.count == 2)
        }
    }

    @Test func `of a Metalink that the queue has no room for nothing stays`() async throws {
        try await Aria2Fixture.run {
            $0.works = false
            $0.service.limits.queuedDownloadsMax = 2
        } _: { fixture in
            let files = (0..<3).map { "<file name=\"\($0)\"><url>http://example.org/\($0)</url></file>" }
            let document = "<metalink xmlns=\"urn:ietf:params:xml:ns:metalink\">\(files.joined())</metalink>"
            let refusal = try await fixture.refusal("aria2.addMetalink", [.string(base64(document))])
            #expect(refusal?.contains("queue") == true, "\(refusal ?? "-")")
            #expect(try await fixture.waiting().isEmpty)
            // What was there before is not this client's alone.
            _ = try await fixture.add("/0")
            let urls = [try fixture.origin.url("/0").text, "http://example.org/1", "http://example.org/2"]
            let others = urls.enumerated().map { "<file name=\"\($0)\"><url>\($1)</url></file>" }
            let next = "<metalink xmlns=\"urn:ietf:params:xml:ns:metalink\">\(others.joined())</metalink>"
            #expect(
                try await fixture.refusal(
                    "aria2.addMetalink", [.string(base64(next)), ["conditional-get": "true"]]) != nil)
            #expect(try await fixture.waiting().count == 1)
        }
    }

    @Test func `of a Metalink with a file that can not be ordered nothing is added`() async throws {
        try await Aria2Fixture.run {
            $0.works = false
        } _: { fixture in
            try fixture.service.ledger.world.fileSystem.createDirectory(
                fixture.downloads.appending("two"), permissions: 0o755)
            let document = """
                <metalink xmlns="urn:ietf:params:xml:ns:metalink">
                <file name="one"><url>http://example.org/one</url></file>
                <file name="two"><url>http://example.org/two</url></file></metalink>
                """
            let refusal = try await fixture.refusal("aria2.addMetalink", [.string(base64(document))])
            #expect(refusal == Fault.option("out").message)
            #expect(try await fixture.waiting().isEmpty)
        }
    }

    private func base64(_ text: String) -> String {
        let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
        var bits = text.utf8.flatMap { byte in (0..<8).reversed().map { byte >> $0 & 1 } }
        while bits.count % 6 != 0 { bits.append(0) }
        return stride(from: 0, to: bits.count, by: 6).reduce(into: "") { text, start in
            text.append(digits[Int(bits[start..<start + 6].reduce(0) { $0 << 1 | $1 })])
        }
    }
}
