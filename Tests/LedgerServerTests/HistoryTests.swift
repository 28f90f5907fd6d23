import LedgerAPI
import LedgerCoding
import LedgerEngine
import LedgerHolder
import LedgerModel
import LedgerSystem
import LedgerTestSupport
import SystemPackage
import Testing

@testable import LedgerServer

/// What happened, what was the case, and what is done to the log.
@Suite(.timeLimit(.minutes(30))) struct HistoryTests {
    /// A download that is done, one that failed, and one that was paused, resumed and deleted.
    private func story(_ fixture: ServerFixture) async throws -> (done: UInt64, failed: UInt64, deleted: UInt64) {
        fixture.origin.serve("/done.mp4", OriginEntity([1, 2, 3]))
        let done = try await fixture.fetch([["url": .string(try fixture.url("/done.mp4")), "group": "g"]])[0]
        let failed = try await fixture.fetch([["url": .string(try fixture.url("/none"))]])[0]
        let deleted = try await fixture.addPaused("/deleted")
        _ = try await fixture.ask("DELETE", "/v1/downloads/\(deleted)")
        return (done, failed, deleted)
    }

    private func numbers(_ answer: Answer) throws -> [UInt64] { try answer.lines.compactMap { $0["seq"]?.number } }

    @Test func `events come line by line, from anywhere, so many, of one download or of some types`() async throws {
        try await ServerFixture.run { fixture in
            let story = try await story(fixture)
            let all = try await fixture.ask("GET", "/v1/events")
            #expect(all.status == 200 && all["content-type"] == "application/x-ndjson" && all.text.hasSuffix("}\n"))
            #expect(try numbers(all) == Array(1...fixture.last))
            for event in try all.lines {
                let names = event.members.map(\.name)
                #expect(names.starts(with: ["seq", "time", "type", "version", "id", "actor", "command"]))
            }
            #expect(try numbers(try await fixture.ask("GET", "/v1/events?after=3")) == Array(4...fixture.last))
            #expect(try numbers(try await fixture.ask("GET", "/v1/events?after=3&limit=2")) == [4, 5])
            #expect(try await fixture.ask("GET", "/v1/events?after=\(fixture.last)").body.isEmpty)
            #expect(try await fixture.ask("GET", "/v1/events?after=99999").body.isEmpty)
            let own = try await fixture.ask("GET", "/v1/events?id=\(story.deleted)").lines
            #expect(own.compactMap { $0["type"]?.text }.last == "deleted")
            #expect(own.allSatisfy { $0["id"]?.number == story.deleted })
            let failures = try await fixture.ask("GET", "/v1/events?type=failed,deleted").lines
            #expect(Set(failures.compactMap { $0["type"]?.text }) == ["failed", "deleted"])
            #expect(failures.first?["error"]?["status"]?.number == 404 && failures.first?["text"] != nil)
            for query in ["after=x", "limit=0", "limit=10001", "id=0", "type=none", "type=failed,none", "from=1"] {
                #expect(try await fixture.ask("GET", "/v1/events?\(query)").status == 400, "\(query)")
            }
        }
    }

    @Test func `what runs is told in a state of now, and of none of the past`() async throws {
        try await ServerFixture.run { fixture in
            let (gate, body) = (OriginGate(), OriginEntity.pattern(200_000))
            fixture.origin.on("/f.bin") { OriginEntity(body).reply(to: $0).holding(at: gate, after: 100_000) }
            let reader = try await FrameReader(fixture, after: 0)
            let id = try await fixture.add(["url": .string(try fixture.url("/f.bin"))])
            while let frame = try await reader.next() {
                if try frame.data["rows"]?.list.contains(where: { $0["state"] == "running" }) == true { break }
            }
            let now = try await fixture.ask("GET", "/v1/state").json
            #expect(now["counts"]?.members.map(\.name) == ["running"] && now["counts"]?["running"]?.number == 1)
            #expect(now["queue"]?.list.map { $0["state"] } == ["running"])
            let past = try await fixture.ask("GET", "/v1/state?at=\(fixture.last)").json
            #expect(past["counts"]?.members.map(\.name) == ["queued"] && past["counts"]?["queued"]?.number == 1)
            #expect(past["queue"]?.list.map { $0["state"] } == ["queued"])
            #expect(past["queue"]?.list.map { $0["id"]?.number } == [id])
            gate.open()
            try await reader.close()
        }
    }

    @Test func `a state is told as it was after any event`() async throws {
        try await ServerFixture.run { fixture in
            let story = try await story(fixture)
            let now = try await fixture.ask("GET", "/v1/state").json
            #expect(now["seq"]?.number == fixture.last && now["queue"]?.list.isEmpty == true)
            #expect(now["counts"] == ["completed": 1, "failed": 1, "deleted": 1] || now["counts"]?.members.count == 3)
            #expect(now["catalog"]?.list.contains { $0["id"]?.number == story.done } == true)
            let first = try await fixture.ask("GET", "/v1/state?at=1").json
            #expect(first["seq"]?.number == 1 && first["counts"]?["queued"]?.number == 1)
            #expect(first["queue"]?.list.map { $0["id"]?.number } == [story.done])
            let empty = try await fixture.ask("GET", "/v1/state?at=0").json
            #expect(empty["seq"]?.number == 0 && empty["counts"] == .object([:]))
            let digests = try await fixture.ask("GET", "/v1/state?parts=digest&at=\(fixture.last)").json
            #expect(digests.members.map(\.name) == ["seq", "counts", "digest"])
            #expect(try await fixture.ask("GET", "/v1/state?parts=digest").json["digest"] == digests["digest"])
            #expect(try await fixture.ask("GET", "/v1/state?limit=0").json["catalog"]?.list.isEmpty == true)
            #expect(try await fixture.ask("GET", "/v1/downloads?at=1").json["downloads"]?.list.count == 1)
            #expect(try await fixture.ask("GET", "/v1/downloads/\(story.done)?at=1").json["state"] == "queued")
            #expect(try await fixture.ask("GET", "/v1/downloads/\(story.failed)?at=1").status == 404)
            let time = try #require(try await fixture.ask("GET", "/v1/events?limit=1").lines.first?["time"]?.text)
            #expect(try await fixture.ask("GET", "/v1/state?at=\(time)").json["counts"] != nil)
            // The future is no state.
            let future = try await fixture.ask("GET", "/v1/state?at=99999")
            #expect((400...499).contains(future.status) && future["content-type"] == "application/problem+json")
            for query in ["at=yesterday", "parts=everything", "limit=1001", "seq=1"] {
                #expect(try await fixture.ask("GET", "/v1/state?\(query)").status == 400, "\(query)")
            }
        }
    }

    @Test func `the catalog of a state has the newest files first, and no more than are asked for`() async throws {
        try await ServerFixture.run { fixture in
            var ids: [UInt64] = []
            for name in ["/a", "/b", "/c"] {
                fixture.origin.serve(name, OriginEntity([1, 2, 3]))
                ids += try await fixture.fetch([["url": .string(try fixture.url(name))]])
            }
            let all = try await fixture.ask("GET", "/v1/state").json["catalog"]?.list
            #expect(all?.map { $0["id"]?.number } == ids.reversed())
            let some = try await fixture.ask("GET", "/v1/state?limit=2").json["catalog"]?.list
            #expect(some?.map { $0["id"]?.number } == ids.reversed().dropLast())
        }
    }

    @Test func `a difference tells what was added, changed and removed`() async throws {
        try await ServerFixture.run(.idle) { fixture in
            let (one, two) = (try await fixture.addPaused("/1"), try await fixture.addPaused("/2"))
            let begin = fixture.last
            _ = try await fixture.ask("PATCH", "/v1/downloads/\(one)", ["title": "New"])
            _ = try await fixture.ask("DELETE", "/v1/downloads/\(two)")
            let three = try await fixture.addPaused("/3")
            let answer = try await fixture.ask("GET", "/v1/diff?from=\(begin)&to=\(fixture.last)").json
            #expect(answer["from"]?.number == begin && answer["to"]?.number == fixture.last && answer["more"] == false)
            let changes = answer["changes"]?.list ?? []
            #expect(changes.map { $0["id"]?.number } == [one, two, three])
            #expect(changes.map { $0["change"]?.text } == ["changed", "removed", "added"])
            #expect(changes[0]["fields"]?.members.map(\.name) == ["title"] && changes[0]["name"] == "New")
            #expect(changes[0]["fields"]?["title"]?["after"] == "New")
            #expect(try await fixture.ask("GET", "/v1/diff?from=\(begin)&to=\(begin)").json["changes"] == [])
            for query in ["", "?from=1", "?to=1", "?from=x&to=1"] {
                #expect(try await fixture.ask("GET", "/v1/diff" + query).status == 400, "\(query)")
            }
        }
    }

    @Test func `a download is explained, and all of them counted`() async throws {
        try await ServerFixture.run { fixture in
            let story = try await story(fixture)
            let told = try await fixture.ask("GET", "/v1/downloads/\(story.done)/explain").json
            let lines = told["lines"]?.list ?? []
            #expect(lines.first?["type"] == "enqueued" && lines.last?["type"] == "completed")
            #expect(lines.allSatisfy { $0.members.map(\.name) == ["seq", "time", "type", "words"] })
            #expect(told["id"]?.number == story.done && told["ending"]?.list.isEmpty == false)
            #expect(try await fixture.ask("GET", "/v1/downloads/999/explain").status == 404)
            let rows = try await fixture.ask("GET", "/v1/stats").json["rows"]?.list ?? []
            #expect(rows.first?["by"] == "total" && rows.first?["downloads"]?.number == 3)
            #expect(rows.first?["bytes"]?.number == 3 && rows.first?["failures"]?.number == 1)
            #expect(Set(rows.compactMap { $0["by"]?.text }) == ["total", "group", "host", "day"])
            let states = try await fixture.ask("GET", "/v1/stats?by=state&at=1").json["rows"]?.list ?? []
            #expect(states.compactMap { $0["key"]?.text } == ["queued"])
            #expect(try await fixture.ask("GET", "/v1/stats?by=colour").status == 400)
            let facts = try await fixture.ask("GET", "/v1/log").json
            #expect(facts["first"]?.number == 1 && facts["last"]?.number == fixture.last)
            #expect(facts["bytes"]?.number ?? 0 > 0 && facts["identity"]?.text == fixture.service.ledger.identity)
        }
    }

    @Test func `a look at the log that nobody waits for any more ends`() async throws {
        try await ServerFixture.run(.idle) { fixture in
            let id = DownloadID(try await fixture.addPaused("/a"))
            let (home, world) = (fixture.service.ledger.home, fixture.service.ledger.world)
            let looks: [(@escaping @Sendable () -> Bool) throws -> Void] = [
                { _ = try Story.read(id, home: home, world: world, isStopped: $0) },
                { _ = try AttemptTally(home: home, world: world, through: SequenceNumber(2), isStopped: $0) },
            ]
            for look in looks {
                try look { false }
                let error = #expect(throws: LedgerError.self) { try look { true } }
                guard case .closed = error else {
                    Issue.record("\(String(describing: error))")
                    continue
                }
            }
            // Who gave up is told to the thread that looks: this one would go on for ever.
            let backend = try fixture.backend()
            let asking = Task {
                try await backend.look { _, _, isStopped throws(LedgerError) -> Bool in
                    while !isStopped() {}
                    throw .closed
                }
            }
            asking.cancel()
            let answer = await asking.result
            #expect(throws: Problem.self) { try answer.get() }
        }
    }

    @Test func `the log is verified, and the files when asked`() async throws {
        try await ServerFixture.run { fixture in
            let story = try await story(fixture)
            let answer = try await fixture.ask("POST", "/v1/verify").json
            #expect(answer["exitCode"]?.number == 0 || answer["exitCode"] == .int(0))
            #expect(answer["summary"]?["events"]?.number == fixture.last && answer["summary"]?["findings"] == [])
            #expect(answer["summary"]?["files"] == nil && answer["lines"]?.list.isEmpty == false)
            let data = try await fixture.ask("POST", "/v1/verify", ["data": true, "quick": true]).json
            #expect(
                data["summary"]?["files"]?["checked"]?.number == 1 || data["summary"]?["files"]?["checked"] == .int(1))
            try RealFileSystem().replaceContents(
                of: fixture.downloads.appending("done.mp4"), with: [9, 9, 9], permissions: 0o644)
            let found = try await fixture.ask("POST", "/v1/verify", ["data": true]).json
            #expect(found["summary"]?["findings"]?.list.first?["id"]?.number == story.done)
            #expect(found["exitCode"] == .int(25) || found["exitCode"]?.number == 25)
            #expect(try await fixture.ask("POST", "/v1/verify", ["deep": true]).status == 400)
            #expect(try await fixture.ask("POST", "/v1/verify?data=true").status == 400)
        }
    }

    @Test func `a compaction is looked at first, and then done; what it took is told as gone`() async throws {
        try await ServerFixture.run { fixture in
            let story = try await story(fixture)
            let last = fixture.last
            let looked = try await fixture.ask("POST", "/v1/compact", ["keepEvents": 0, "dryRun": true]).json["summary"]
            #expect(looked?["dryRun"] == true && fixture.last == last)
            let done = try await fixture.ask("POST", "/v1/compact", ["keepEvents": 0]).json["summary"]
            #expect(done?["dryRun"] == false && done?["eventsDropped"]?.number ?? 0 > 0)
            #expect(try await fixture.ask("GET", "/v1/log").json["first"]?.number ?? 0 > 1)
            for path in ["/v1/events", "/v1/state?at=1"] {
                let answer = try await fixture.ask("GET", path)
                #expect(answer.status < 500, "\(path): \(answer.text)")
            }
            #expect(try await fixture.ask("GET", "/v1/downloads/\(story.done)").json["state"] == "completed")
            #expect(try await fixture.ask("POST", "/v1/compact", ["keepEvents": -1]).status == 400)
            #expect(try await fixture.ask("POST", "/v1/compact", ["drop": true]).status == 400)
        }
    }

    @Test func `a checkpoint says how far the log is, in three lines`() async throws {
        try await ServerFixture.run { fixture in
            _ = try await story(fixture)
            let answer = try await fixture.ask("POST", "/v1/checkpoint").json
            let lines = answer["text"]?.text?.split(separator: "\n") ?? []
            #expect(lines.count >= 3 && lines[1] == "\(answer["size"]?.number ?? 0)")
            #expect(answer["size"]?.number ?? 0 > 0 && answer["root"]?.text?.isEmpty == false)
        }
    }
}
