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

/// Places in the queue, URLs, pauses and removals.
struct SteeringTests {
    @Test func `a place is counted among those that wait, and never out of it`() async throws {
        try await Aria2Fixture.run {
            $0.works = false
        } _: { fixture in
            var gids: [JSONValue] = []
            for path in ["/a", "/b", "/c", "/d"] { gids.append(try await fixture.add(path)) }
            var model = gids
            for (index, offset, mode, place) in [
                (2, 0, "POS_SET", 0), (0, 99, "POS_CUR", 3), (3, -1, "POS_CUR", 1), (2, -99, "POS_END", 0),
                (1, -1, "POS_END", 2), (1, 0, "POS_END", 3), (0, Int64.max, "POS_SET", 3), (0, .min, "POS_CUR", 0),
                (3, 1, "POS_SET", 1), (3, 1, "POS_SET", 1),
            ] as [(Int, Int64, String, Int64)] {
                let moved = try await fixture.call("aria2.changePosition", gids[index], .int(offset), .string(mode))
                #expect(moved == .int(place), "\(index) \(offset) \(mode)")
                model.removeAll { $0 == gids[index] }
                model.insert(gids[index], at: Int(place))
                #expect(try await fixture.waiting() == model)
            }
            let first = try await fixture.add("/e", at: 0)
            let second = try await fixture.add("/f", ["pause": "true"], at: 1)
            let last = try await fixture.add("/g", at: 99)
            #expect(try await fixture.waiting() == [first, second] + model + [last])
            #expect(try await fixture.status(second) == "paused")
        }
    }

    @Test func `a place goes before the priorities that other clients gave`() async throws {
        try await Aria2Fixture.run {
            $0.works = false
        } _: { fixture in
            let directory = fixture.endpoint.configuration.directory
            for (number, priority) in [5, 5, 0, -5].enumerated() {
                var request = EnqueueRequest(
                    url: "http://example.org/\(number)", directory: directory,
                    command: CommandID(high: 2, low: UInt64(number)))
                request.priority = Int32(priority)
                _ = try await fixture.service.enqueue([request])
            }
            let gids = try await fixture.waiting()
            #expect(gids.count == 4)
            var model = gids
            for (index, place) in [(3, 0), (0, 3), (2, 1), (1, 2), (3, 3)] {
                #expect(
                    try await fixture.call("aria2.changePosition", gids[index], .int(Int64(place)), "POS_SET")
                        == .int(Int64(place)))
                model.removeAll { $0 == gids[index] }
                model.insert(gids[index], at: place)
                #expect(try await fixture.waiting() == model, "\(index) to \(place)")
            }
        }
    }

    @Test func `URLs are taken away and put in, and one is kept`() async throws {
        try await Aria2Fixture.run {
            $0.works = false
        } _: { fixture in
            func url(_ path: String) -> JSONValue { .string("http://example.org" + path) }
            let gid = try await fixture.call("aria2.addUri", [url("/a"), "ftp://example.org/", url("/b"), url("/b")])
            func urls() async throws -> [JSONValue] {
                try await fixture.call("aria2.getUris", gid).list.compactMap { $0["uri"] }
            }
            #expect(try await urls() == [url("/a"), url("/b"), url("/b")])
            for (removed, added, position, answer, left) in [
                ([url("/b")], [url("/c"), "no url"], nil, [1, 1], ["/a", "/b", "/c"]),
                ([url("/a"), url("/none")], [], nil, [1, 0], ["/b", "/c"]),
                ([], [url("/d")], 0, [0, 1], ["/d", "/b", "/c"]),
                ([url("/c")], [url("/e"), url("/f")], 1, [1, 2], ["/d", "/e", "/f", "/b"]),
                ([], [url("/g")], 99, [0, 1], ["/d", "/e", "/f", "/b", "/g"]),
                ([], [], nil, [0, 0], ["/d", "/e", "/f", "/b", "/g"]),
            ] as [([JSONValue], [JSONValue], JSONValue?, JSONValue, [String])] {
                let parameters = [gid, 1, .array(removed), .array(added)] + (position.map { [$0] } ?? [])
                let request: JSONValue = ["id": 1, "method": "aria2.changeUri", "params": .array(parameters)]
                let found = try JSONValue.read(await fixture.endpoint.answer(request.utf8).body)
                #expect(found["result"] == answer)
                #expect(try await urls() == left.map(url))
            }
            let all = JSONValue.array(try await urls())
            #expect(try await fixture.refusal("aria2.changeUri", [gid, 1, all, []]) == "No URI to download.")
            #expect(try await urls() == all.list)
        }
    }

    @Test func `what is paused while it runs waits before all others, and all can be paused`() async throws {
        try await Aria2Fixture.run { wishes in
            wishes.service.limits.runningMax = 1
        } _: { fixture in
            let gates = [fixture.hold("/a"), fixture.hold("/b")]
            let first = try await fixture.add("/a")
            await gates[0].reached()
            let second = try await fixture.add("/b")
            #expect(try await fixture.call("aria2.forcePause", first) == first)
            await gates[1].reached()
            #expect(try await fixture.waiting() == [first])
            #expect(try await fixture.call("aria2.pauseAll") == "OK")
            #expect(try await fixture.status(second) == "paused")
            #expect(try await fixture.call("aria2.tellActive").list.isEmpty)
            for gate in gates { gate.open() }
            #expect(try await fixture.call("aria2.unpauseAll") == "OK")
            for gid in [first, second] { try await fixture.until(gid, "complete") }
            #expect(
                try await fixture.call("aria2.tellStatus", first, ["errorCode", "errorMessage", "bitfield"])
                    == ["bitfield": "80", "errorCode": "0", "errorMessage": ""])
        }
    }

    @Test func `what runs when all is paused waits before all others, the last of it first, and goes on so`()
        async throws
    {
        try await Aria2Fixture.run { wishes in
            wishes.service.limits.runningMax = 2
        } _: { fixture in
            // Long enough to stand at the gate again when it goes on.
            let gates = ["/a", "/b", "/c", "/d"].map { fixture.hold($0, bytes: 800_000) }
            var gids: [JSONValue] = []
            for path in ["/a", "/b", "/c", "/d"] { gids.append(try await fixture.add(path)) }
            for gate in gates[..<2] { await gate.reached() }
            func active() async throws -> [JSONValue] {
                try await fixture.call("aria2.tellActive", ["gid"]).list.compactMap { $0["gid"] }
            }
            #expect(try await active() == [gids[0], gids[1]])
            #expect(try await fixture.call("aria2.pauseAll") == "OK")
            #expect(try await fixture.waiting() == [gids[1], gids[0], gids[2], gids[3]])
            #expect(try await fixture.call("aria2.unpauseAll") == "OK")
            try await fixture.until { try await active() == [gids[1], gids[0]] }
            for gate in gates { gate.open() }
            for gid in gids { try await fixture.until(gid, "complete") }
        }
    }

    @Test func `there are as many connections as ranges are asked for at once`() async throws {
        try await Aria2Fixture.run { fixture in
            let gate = fixture.hold("/big", bytes: 8 << 20)
            let gid = try await fixture.add("/big", ["split": "4", "max-connection-per-server": "4"])
            func connections() async throws -> JSONValue? {
                try await fixture.call("aria2.tellStatus", gid, ["connections"])["connections"]
            }
            try await fixture.until { try await connections() == "4" }
            gate.open()
            try await fixture.until(gid, "complete")
            #expect(try await connections() == "0")
        }
    }

    @Test func `what ran leaves a result when it is removed, and a purge leaves the files`() async throws {
        try await Aria2Fixture.run { fixture in
            fixture.origin.on("/ok") { OriginEntity([1, 2, 3]).reply(to: $0) }
            let complete = try await fixture.add("/ok")
            try await fixture.until(complete, "complete")
            let gate = fixture.hold("/held")
            let active = try await fixture.add("/held")
            await gate.reached()
            #expect(try await fixture.call("aria2.forceRemove", active) == active)
            #expect(try await fixture.status(active) == "removed")
            gate.open()
            let magnet = try await fixture.call("aria2.addUri", ["magnet:?xt=urn:btih:00"])
            #expect(
                try await fixture.call("aria2.tellStopped", 0, 9, ["gid"]).list.map { $0["gid"] }
                    == [complete, active, magnet])
            #expect(try await fixture.call("aria2.purgeDownloadResult") == "OK")
            #expect(try await fixture.call("aria2.tellStopped", 0, 9).list.isEmpty)
            let figures = try await fixture.call("aria2.getGlobalStat")
            #expect(figures["numStopped"] == "0" && figures["numStoppedTotal"] == "3", "all that ever were")
            let disk = fixture.service.ledger.world.fileSystem
            #expect(try disk.contents(of: fixture.downloads.appending("ok")) == [1, 2, 3])
            // One undo takes back all that one purge did.
            let undone = try await fixture.service.undo(nil, command: CommandID(high: 9, low: 9))
            #expect(undone.count == 2)
            #expect(
                Set(try await fixture.call("aria2.tellStopped", 0, 9, ["gid"]).list.map { $0["gid"] })
                    == [complete, active])
        }
    }
}
