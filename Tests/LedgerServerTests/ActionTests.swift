import LedgerCoding
import LedgerEngine
import LedgerTestSupport
import Testing

@testable import LedgerServer

/// What is done to one download, to many, and taken back.
@Suite(.timeLimit(.minutes(30))) struct ActionTests {
    private func state(_ id: UInt64, _ fixture: ServerFixture) async throws -> String? {
        try await fixture.ask("GET", "/v1/downloads/\(id)").json["state"]?.text
    }

    @Test func `each action does what it says, and is refused where it does not fit`() async throws {
        try await ServerFixture.run(.idle) { fixture in
            let id = try await fixture.addPaused("/a")
            for (action, status, after) in [
                ("pause", 409, "paused"), ("resume", 200, "queued"), ("resume", 409, "queued"),
                ("pause", 200, "paused"),
                ("retry", 409, "paused"), ("cancel", 200, "cancelled"), ("cancel", 409, "cancelled"),
                ("retry", 200, "queued"), ("pin", 200, "queued"), ("unpin", 200, "queued"),
            ] {
                let answer = try await fixture.ask("POST", "/v1/downloads/\(id)/\(action)")
                #expect(answer.status == status, "\(action): \(answer.text)")
                #expect(try await state(id, fixture) == after, "\(action)")
                if status == 200 { #expect(try answer.json["state"]?.text == after && answer.json["ranges"] == []) }
                #expect(try status == 200 || answer.json["code"] == "refused")
            }
            for action in ["pause", "resume", "cancel", "retry", "pin", "unpin", "undo"] {
                #expect(try await fixture.ask("POST", "/v1/downloads/999/\(action)").status == 404, "\(action)")
                let wrong = try await fixture.ask("POST", "/v1/downloads/\(id)/\(action)", ["force": true])
                #expect(wrong.status == 400, "\(action)")
                #expect(try wrong.json["next"]?.text == "leave it out: nothing is asked for here", "\(action)")
            }
        }
    }

    @Test func `a finished file is pinned, and let go`() async throws {
        try await ServerFixture.run { fixture in
            fixture.origin.serve("/a", OriginEntity([1]))
            let id = try await fixture.fetch([["url": .string(try fixture.url("/a"))]])[0]
            #expect(try await fixture.ask("POST", "/v1/downloads/\(id)/pin").json["pinned"] == true)
            #expect(try await fixture.ask("POST", "/v1/downloads/\(id)/unpin").json["pinned"] == false)
            #expect(try await fixture.ask("PATCH", "/v1/downloads/\(id)", ["pinned": true]).json["pinned"] == true)
        }
    }

    @Test func `a move is to a place among equals, or to a priority`() async throws {
        try await ServerFixture.run(.idle) { fixture in
            var ids: [UInt64] = []
            for number in 0..<5 { ids.append(try await fixture.addPaused("/\(number)")) }
            let turn = {
                try await fixture.ask("GET", "/v1/downloads?sort=turn").json["downloads"]?.list.compactMap {
                    $0["id"]?.number
                }
            }
            let move = { (id: UInt64, body: JSONValue) in
                try await fixture.ask("POST", "/v1/downloads/\(id)/move", body).status
            }
            #expect(try await move(ids[4], ["to": "first"]) == 200)
            #expect(try await turn() == [ids[4], ids[0], ids[1], ids[2], ids[3]])
            #expect(try await move(ids[4], ["to": "last"]) == 200)
            #expect(try await move(ids[0], ["to": 2]) == 200)
            #expect(try await turn() == [ids[1], ids[2], ids[0], ids[3], ids[4]])
            #expect(try await move(ids[3], ["priority": 9]) == 200)
            #expect(try await turn() == [ids[3], ids[1], ids[2], ids[0], ids[4]])
            for (body, status) in [
                (JSONValue.object([:]), 422), (["to": 1, "priority": 1], 422), (["to": "middle"], 400),
                (["to": -1], 400),
                (["to": .double(1.5)], 400), (["to": nil], 422), (["place": 1], 400),
            ] {
                #expect(try await move(ids[0], body) == status, "\(body)")
            }
        }
    }

    @Test func `many are chosen by number, by filter, or all`() async throws {
        try await ServerFixture.run(.idle) { fixture in
            var ids: [UInt64] = []
            for number in 0..<6 {
                ids.append(try await fixture.addPaused("/\(number).mp4", ["group": number < 3 ? "one" : "two"]))
            }
            let act = { (body: JSONValue) in try await fixture.ask("POST", "/v1/actions", body) }
            func done(_ answer: Answer) throws -> [UInt64] {
                try answer.json["downloads"]?.list.compactMap { $0["id"]?.number } ?? []
            }
            let some = try await act(["action": "resume", "ids": [.uint(ids[0]), .uint(ids[1]), 999]])
            #expect(try some.status == 200 && done(some) == [ids[0], ids[1]])
            let refused = try some.json["refused"]?.list ?? []
            #expect(refused.map { $0["id"]?.number } == [999] && refused[0]["code"] == "not-found")
            let group = try await act(["action": "resume", "filter": ["group": "two"]])
            #expect(try done(group) == Array(ids[3...]) && group.json["refused"] == [])
            // What the filter matches and the action does not fit is passed over.
            #expect(
                try done(try await act(["action": "pause", "filter": ["kind": ["video"], "search": "mp4"]])).count == 5)
            #expect(try done(try await act(["action": "resume", "all": true])).count == 6)
            #expect(try done(try await act(["action": "move", "ids": [.uint(ids[5])], "to": "first"])) == [ids[5]])
            #expect(
                try done(try await act(["action": "delete", "filter": ["state": "queued"], "file": "keep"])).count == 6)
            #expect(try await state(ids[0], fixture) == "deleted")
            for (body, status) in [
                (["action": "resume"], 422), (["action": "resume", "ids": [1], "all": true], 422), (["ids": [1]], 400),
                (["action": "explode", "all": true], 400), (["action": "resume", "ids": ["1"]], 400),
                (["action": "resume", "ids": [0]], 400), (["action": "resume", "filter": ["size": 1]], 400),
                (["action": "resume", "filter": ["state": "none"]], 400), (["action": "move", "all": true], 422),
                (["action": "delete", "all": true, "file": "burn"], 400), (["action": "delete", "filter": [:]], 422),
                (["action": "delete", "filter": ["group": nil, "state": [], "kind": []]], 422),
                (["action": "delete", "filter": ["search": ""]], 422),
                (["action": "delete", "filter": ["search": " ", "state": "completed"]], 422),
                (["action": "resume", "all": true, "file": "keep"], 400),
            ] as [(JSONValue, Int)] {
                #expect(try await act(body).status == status, "\(body)")
            }
        }
    }

    @Test func `what was done last is undone, or what an event did`() async throws {
        try await ServerFixture.run(.idle) { fixture in
            #expect(try await fixture.ask("POST", "/v1/undo").status == 409)
            let one = try await fixture.addPaused("/1")
            let two = try await fixture.addPaused("/2")
            _ = try await fixture.ask("POST", "/v1/downloads/\(one)/resume")
            let resumed = fixture.last
            _ = try await fixture.ask("POST", "/v1/downloads/\(two)/cancel")
            let answer = try await fixture.ask("POST", "/v1/undo")
            let row = try #require(try answer.json["downloads"]?.list.first)
            #expect(row["id"]?.number == two && row["state"] == "paused" && row["undone"]?.number == resumed + 1)
            #expect(try await fixture.ask("POST", "/v1/undo", ["seq": .uint(resumed)]).status == 200)
            #expect(try await state(one, fixture) == "paused")
            #expect(try await fixture.ask("POST", "/v1/undo", ["seq": 99_999]).status == 404)
            for body in [["seq": 0], ["seq": "1"], ["number": 1]] as [JSONValue] {
                #expect(try await fixture.ask("POST", "/v1/undo", body).status == 400, "\(body)")
            }
            // The number of an event that is no download undoes nothing through a download's route.
            _ = try await fixture.ask("POST", "/v1/downloads/\(one)/resume")
            let event = fixture.last
            #expect(try await fixture.ask("POST", "/v1/downloads/\(event)/undo").status == 404)
            #expect(try await state(one, fixture) == "queued" && fixture.last == event)
            #expect(try await fixture.ask("POST", "/v1/downloads/\(one)/undo").json["state"] == "paused")
            // Nothing is left: what is told is of the download, whose number is an event's too.
            let three = try await fixture.add(["url": .string(try fixture.url("/3"))])
            #expect(try await fixture.ask("POST", "/v1/downloads/\(three)/pause").status == 200)
            #expect(try await fixture.ask("POST", "/v1/downloads/\(three)/undo").json["state"] == "queued")
            let nothing = try await fixture.ask("POST", "/v1/downloads/\(three)/undo")
            #expect(nothing.status == 409)
            #expect(
                try nothing.json["detail"]?.text == "nothing that was done to download \(three) can be undone now")
        }
    }
}
