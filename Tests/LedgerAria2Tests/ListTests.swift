import LedgerAPI
import LedgerCoding
import LedgerEngine
import LedgerHolder
import LedgerModel
import LedgerTestSupport
import Testing

@testable import LedgerAria2

/// What waits and what has ended, in pages, and by the first digits of a name.
struct ListTests {
    @Test func `a page counts from the end when its offset is negative, and is turned round`() {
        /// aria2's own rule, for each place by itself.
        func places(_ offset: Int, _ count: Int, of total: Int) -> [Int] {
            guard offset < 0 else { return (0..<total).filter { $0 >= offset && $0 < offset + count } }
            let last = total + offset
            return (0..<count).map { last - $0 }.filter { $0 >= 0 && last < total }
        }
        for total in 0...5 {
            for offset in -7...7 {
                for count in 0...7 {
                    let page = Page(offset: Int64(offset), count: Int64(count))
                    let range = page.range(of: total).map(Array.init) ?? []
                    let found = page.isReversed ? range.reversed() : range
                    #expect(found == places(offset, count, of: total), "\(offset), \(count) of \(total)")
                }
            }
        }
        for offset in [Int64.min, .max] {
            #expect(Page(offset: offset, count: .max).range(of: 5) == nil)
        }
        #expect(Page(offset: 1, count: .max).range(of: 5) == 1..<5)
        #expect(Page(offset: -1, count: .max).range(of: 5) == 0..<5)
    }

    @Test func `what waits and what has ended is told in pages`() async throws {
        try await Aria2Fixture.run { wishes in
            wishes.service.limits.runningMax = 1
        } _: { fixture in
            var ended: [JSONValue] = []
            for path in ["/1", "/2", "/3"] {
                ended.append(try await fixture.add(path))
                try await fixture.until(ended[ended.count - 1], "error")
            }
            let gate = fixture.hold("/held")
            let active = try await fixture.add("/held")
            await gate.reached()
            var waiting: [JSONValue] = []
            for path in ["/a", "/b", "/c"] { waiting.append(try await fixture.add(path)) }
            for (method, all) in [("aria2.tellStopped", ended), ("aria2.tellWaiting", waiting)] {
                for (offset, count, places) in [
                    (0, 10, [0, 1, 2]), (1, 1, [1]), (-1, 2, [2, 1]), (-3, 9, [0]), (3, 1, []), (-4, 2, []),
                ] as [(Int64, Int64, [Int])] {
                    let page = try await fixture.call(method, .int(offset), .int(count), ["gid"])
                    #expect(page.list == places.map { ["gid": all[$0]] }, "\(method) \(offset) \(count)")
                }
            }
            #expect(try await fixture.call("aria2.tellActive", ["gid"]).list == [["gid": active]])
            let figures = try await fixture.call("aria2.getGlobalStat")
            #expect(figures["numActive"] == "1" && figures["numWaiting"] == "3")
            #expect(figures["numStopped"] == "3" && figures["numStoppedTotal"] == "3")
            try await fixture.call("aria2.changeGlobalOption", ["max-download-result": "2"])
            #expect(try await fixture.call("aria2.tellStopped", 0, 9, ["gid"]).list == ended[1...].map { ["gid": $0] })
            #expect(try await fixture.call("aria2.getGlobalStat")["numStopped"] == "2")
            gate.open()
        }
    }

    @Test func `a page of a long queue is what stands there`() async throws {
        try await Aria2Fixture.run {
            $0.works = false
        } _: { fixture in
            let count = 8_000
            let directory = fixture.endpoint.configuration.directory
            let requests = (0..<count).map { number in
                EnqueueRequest(
                    url: "http://example.org/\(number)", directory: directory,
                    command: CommandID(high: 1, low: UInt64(number)))
            }
            #expect(try await fixture.service.enqueue(requests).count == count)
            // What it costs is measured by tools/api-load.
            let all = try await fixture.call("aria2.tellWaiting", 0, .int(Int64(count)), ["gid"]).list
            #expect(Set(all.map(\.description)).count == count)
            for (offset, expected) in [
                (0, Array(all[..<10])), (4_000, Array(all[4_000..<4_010])), (7_990, Array(all[7_990...])),
                (-1, Array(all[7_990...].reversed())),
            ] as [(Int64, [JSONValue])] {
                let page = try await fixture.call("aria2.tellWaiting", .int(offset), 10, ["gid"])
                #expect(page.list == expected, "\(offset)")
            }
            for gid in ["0123456", "0123456789abcdef"] as [JSONValue] {
                #expect(try await fixture.refusal("aria2.tellStatus", [gid]) != nil)
            }
        }
    }

    @Test func `the first digits of a name do, as long as they are of one`() async throws {
        try await Aria2Fixture.run {
            $0.works = false
        } _: { fixture in
            let first = try await fixture.add("/a", ["gid": "abcd000000000001"])
            let second = try await fixture.add("/b", ["gid": "abcd100000000001"])
            func named(_ text: JSONValue) async throws -> JSONValue? {
                try await fixture.call("aria2.tellStatus", text, ["gid"])["gid"]
            }
            #expect(try await named("abcd0") == first)
            #expect(try await named("ABCD1") == second)
            #expect(try await fixture.refusal("aria2.tellStatus", ["abcd"]) == "GID abcd is not unique")
            #expect(try await fixture.refusal("aria2.tellStatus", ["abcd2"]) == "GID abcd2 is not found")
            // The first digits of what a torrent was added as count too.
            try await fixture.call("aria2.addTorrent", "ZGU=", [], ["gid": "abcd200000000001"])
            #expect(try await named("abcd2") == "abcd200000000001")
            #expect(try await fixture.refusal("aria2.tellStatus", ["abcd"]) == "GID abcd is not unique")
            try await fixture.call("aria2.remove", second)
            #expect(try await fixture.refusal("aria2.tellStatus", [second]) != nil)
            #expect(try await named("abcd0") == first)
        }
    }

    @Test func `a GID that is taken is refused, and free again once its result is gone`() async throws {
        try await Aria2Fixture.run { fixture in
            let options: JSONValue = ["gid": "00000000000000aa"]
            let gid = try await fixture.add("/none", options)
            try await fixture.until(gid, "error")
            let urls: JSONValue = [try fixture.url("/b")]
            #expect(try await fixture.refusal("aria2.addUri", [urls, options]) == "No URI to download.")
            #expect(
                try await fixture.refusal("aria2.addTorrent", ["ZGU=", [], options]) == "No URI to download.")
            try await fixture.call("aria2.removeDownloadResult", gid)
            #expect(try await fixture.call("aria2.addUri", urls, options) == gid)
            #expect(try await fixture.call("aria2.getFiles", gid)[0]?["uris"]?[0]?["uri"] == urls[0])
        }
    }

    @Test func `of many who choose one GID at once, one gets it`() async throws {
        try await Aria2Fixture.run {
            $0.works = false
        } _: { fixture in
            let urls: JSONValue = [try fixture.url("/a")]
            let accepted = try await withThrowingTaskGroup(of: Bool.self) { group in
                for number in 0..<20 {
                    let (method, first): (String, JSONValue) =
                        number % 4 == 0 ? ("aria2.addTorrent", "ZGU=") : ("aria2.addUri", urls)
                    let options: JSONValue = ["gid": "00000000000000aa"]
                    let parameters = number % 4 == 0 ? [first, [], options] : [first, options]
                    group.addTask { try await fixture.refusal(method, parameters) == nil }
                }
                return try await group.reduce(into: 0) { count, isAccepted in count += isAccepted ? 1 : 0 }
            }
            #expect(accepted == 1)
            let all = try await fixture.waiting() + fixture.call("aria2.tellStopped", 0, 9).list
            #expect(all.count == 1)
        }
    }

    @Test func `names are the same after the program was started again`() async throws {
        try await Aria2Fixture.run {
            $0.works = false
        } _: { fixture in
            let given = try await fixture.add("/a", ["gid": "00000000000000aa"])
            let made = try await fixture.add("/b")
            let again = try Aria2Fixture.endpoint(
                over: fixture.service, fixture.root, Aria2Fixture.Wishes(), fixture.endings)
            for gid in [given, made] {
                let request: JSONValue = ["id": 1, "method": "aria2.tellStatus", "params": [gid, ["gid"]]]
                let answer = try JSONValue.read(await again.answer(request.utf8).body)
                #expect(answer["result"] == ["gid": gid])
            }
            let taken: JSONValue = [
                "id": 1, "method": "aria2.addUri", "params": [[try fixture.url("/c")], ["gid": given]],
            ]
            #expect(await again.answer(taken.utf8).status == 400)
        }
    }
}
