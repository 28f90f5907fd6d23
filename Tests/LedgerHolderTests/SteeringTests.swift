import LedgerAPI
import LedgerEngine
import LedgerModel
import LedgerSystem
import LedgerTestSupport
import SystemPackage
import Testing

@testable import LedgerHolder

/// Orders and limits that are changed while downloads run, over real sockets.
struct SteeringTests {
    private let bytes = OriginEntity.pattern(300_000)

    private func command() -> CommandID {
        var generator = SystemRandomNumberGenerator()
        return CommandID(using: &generator)
    }

    private func change(
        _ ids: [DownloadID], _ fixture: ServiceFixture, _ body: (inout ChangeRequest) -> Void
    ) async throws -> [ActionAnswer] {
        var request = ChangeRequest()
        body(&request)
        return try await fixture.service.act(.change(request), on: .ids(ids), command: command())
    }

    /// Waits until the download has received something, and hands out its row then.
    private func received(_ id: DownloadID, _ fixture: ServiceFixture) async throws -> DownloadRow? {
        var query = ListQuery()
        query.ids = [id]
        while true {
            let row = try await fixture.service.list(query).first
            if row.map({ $0.received > 0 }) ?? true { return row }
            await Task.yield()
        }
    }

    @Test(.timeLimit(.minutes(30)))
    func `a rate that is changed holds at once for what runs, which goes on`() async throws {
        try await ServiceFixture.run { fixture in
            fixture.origin.on("/a", { OriginEntity(bytes).reply(to: $0) })
            var request = try fixture.request("/a")
            // At this rate it would take half an hour.
            request.bytesPerSecondMax = 150
            let id = try await fixture.enqueue([request])[0].id
            #expect(try await received(id, fixture)?.state == .running)
            let answers = try await change([id], fixture) { $0.bytesPerSecondMax = 0 }
            #expect(answers.map(\.row?.id) == [id])
            #expect(try await fixture.ended([id])[0].state == .completed)
            #expect(try fixture.files()[fixture.downloads.appending("a")] == bytes)
            #expect(fixture.origin.requests.count == 1)
            #expect(try await fixture.service.read { $0.queue[id]?.epoch } == 1, "only its completion raised it")
        }
    }

    @Test(.timeLimit(.minutes(30)), arguments: [1, 4] as [UInt32])
    func `what was received before a pause stays`(ranges: UInt32) async throws {
        try await ServiceFixture.run { fixture in
            fixture.origin.on("/a", { OriginEntity(bytes).reply(to: $0) })
            var request = try fixture.request("/a")
            (request.bytesPerSecondMax, request.rangesMax) = (150, ranges)
            let id = try await fixture.enqueue([request])[0].id
            let received = try #require(try await received(id, fixture)).received
            let paused = try await fixture.service.act(.pause, on: .ids([id]), command: command())
            #expect(try #require(paused[0].row).received >= received)
            _ = try await change([id], fixture) { $0.bytesPerSecondMax = 0 }
            _ = try await fixture.service.act(.resume, on: .ids([id]), command: command())
            #expect(try await fixture.ended([id])[0].state == .completed)
            let files = try fixture.files()
            #expect(files[fixture.downloads.appending("a")] == bytes)
        }
    }

    @Test(.timeLimit(.minutes(30)))
    func `who stops a download and has it go on owes what it owed`() async throws {
        try await ServiceFixture.run { fixture in
            fixture.origin.on("/a", { OriginEntity(bytes).reply(to: $0) })
            var request = try fixture.request("/a")
            request.bytesPerSecondMax = 150
            let id = try await fixture.enqueue([request])[0].id
            _ = try await received(id, fixture)
            let paused = try await fixture.service.act(.pause, on: .ids([id]), command: command())
            let owed = try #require(paused[0].row).received
            for _ in 0..<5 {
                _ = try await fixture.service.act(.resume, on: .ids([id]), command: command())
                while try await fixture.service.list(ListQuery()).first?.state != .running { await Task.yield() }
                let again = try await fixture.service.act(.pause, on: .ids([id]), command: command())
                #expect(again[0].row?.received == owed, "nothing is asked for before that is paid")
            }
            _ = try await change([id], fixture) { $0.bytesPerSecondMax = 0 }
            _ = try await fixture.service.act(.resume, on: .ids([id]), command: command())
            #expect(try await fixture.ended([id])[0].state == .completed)
            #expect(fixture.origin.requests.count == 2)
        }
    }

    @Test(.timeLimit(.minutes(30)))
    func `the limits of all are shown, and changed while they hold`() async throws {
        try await ServiceFixture.run { fixture in
            fixture.origin.on("/a", { OriginEntity(bytes).reply(to: $0) })
            var limit = LimitChange()
            limit.bytesPerSecondMax = 150
            limit.runningMax = 9
            let report = try await fixture.service.limit(limit)
            #expect(report.bytesPerSecondMax == 150 && report.runningMax == 9 && report.runningPerHostMax == 4)
            #expect(try await fixture.service.limit(LimitChange()) == report)
            let id = try await fixture.enqueue([try fixture.request("/a")])[0].id
            #expect(try await received(id, fixture)?.state == .running)
            limit.bytesPerSecondMax = 0
            #expect(try await fixture.service.limit(limit).bytesPerSecondMax == nil)
            #expect(try await fixture.ended([id])[0].state == .completed)
        }
    }

    @Test func `another URL carries on with what is there, and takes no secret to another origin`() async throws {
        try await ServiceFixture.run { fixture in
            let other = try await OriginServer.start()
            let whole = OriginEntity(bytes)
            fixture.origin.on("/a", { _ in OriginReply(410) })
            fixture.origin.on("/b", { whole.reply(to: $0) })
            other.on("/a", { whole.reply(to: $0) })
            var request = try fixture.request("/a")
            request.headers = [.init(name: "X-Key", value: "s3cret")]
            request.credentials = "ada:s3cret"
            let ids = try await fixture.enqueue([request, again(request)]).map(\.id)
            #expect(try await fixture.ended(ids).map(\.state) == [.failed, .failed])

            let same = try fixture.origin.url("/b").text
            #expect(try await change([ids[0]], fixture) { $0.url = same }[0].row?.state == .failed)
            let foreign = try other.url("/a?token=t0ken").text
            #expect(try await change([ids[1]], fixture) { $0.url = foreign }[0].row?.url.contains("REDACTED") == true)
            _ = try await fixture.service.act(.retry, on: .ids(ids), command: command())
            #expect(try await fixture.ended(ids).map(\.state) == [.completed, .completed])

            let kept = try #require(fixture.origin.requests.last)
            #expect(kept.target == "/b" && kept["x-key"] == "s3cret" && kept["authorization"] != nil)
            let sent = try #require(other.requests.last)
            #expect(sent.target == "/a?token=t0ken" && sent["x-key"] == nil && sent["authorization"] == nil)
            try await other.stop()
        }
    }

    @Test(.timeLimit(.minutes(30)))
    func `another URL plans another name, and the part that is there goes on as it is called`() async throws {
        try await ServiceFixture.run { fixture in
            let whole = OriginEntity(bytes)
            for path in ["/a", "/b"] { fixture.origin.on(path, { whole.reply(to: $0) }) }
            var request = try fixture.request("/a")
            request.bytesPerSecondMax = 150
            request.resumesUnvalidated = true
            let id = try await fixture.enqueue([request])[0].id
            while try await fixture.service.read({ $0.queue[id]?.durable.isEmpty ?? true }) { await Task.yield() }
            let url = try fixture.origin.url("/b").text
            _ = try await change([id], fixture) { ($0.url, $0.bytesPerSecondMax) = (url, 0) }
            #expect(try await fixture.ended([id])[0].state == .completed)
            let files = try fixture.files().filter { $0.key.starts(with: fixture.downloads) }
            // What the first answer suggested is what the file is called.
            #expect(files.map(\.key.string) == [fixture.downloads.appending("a").string])
            #expect(files.values.allSatisfy { $0 == bytes })
            let range = try #require(fixture.origin.requests.last?["range"])
            #expect(fixture.origin.requests.map(\.target) == ["/a", "/b"] && !range.hasPrefix("bytes=0-"))
        }
    }

    @Test func `what was shown without its secret is added again with it, and goes nowhere else`() async throws {
        try await ServiceFixture.run { fixture in
            fixture.origin.on("/a", { OriginEntity(bytes).reply(to: $0) })
            var request = try fixture.request("/a?page=7&token=t0ken")
            request.headers = [.init(name: "X-Key", value: "s3cret")]
            let first = try await fixture.enqueue([request])[0]
            #expect(first.url.hasSuffix("/a?page=7&token=REDACTED"))
            _ = try await fixture.ended([first.id])
            // As a client does who knows nothing but the row; twice, and the second finds the first's too.
            for name in ["b", "c"] {
                var shown = again(try fixture.request("/a"))
                (shown.url, shown.name) = (first.url, name)
                let row = try await fixture.enqueue([shown])[0]
                #expect(row.url == first.url && row.id != first.id)
                #expect(try await fixture.ended([row.id])[0].state == .completed)
                let sent = try #require(fixture.origin.requests.last)
                #expect(sent.target == "/a?page=7&token=t0ken" && sent["x-key"] == nil)
            }
            // Of another URL nothing is known: no origin is asked with the word that stands for a secret.
            let asked = fixture.origin.requests.count
            let other = again(try fixture.request("/a?page=8&token=REDACTED"))
            guard case .refused(let problem)? = try await fixture.service.enqueue([other]).first else {
                return #expect(Bool(false), "it is refused")
            }
            #expect(problem == .incompleteURL && fixture.origin.requests.count == asked)
        }
    }

    private func again(_ request: EnqueueRequest) -> EnqueueRequest {
        var again = request
        again.again = true
        again.command = command()
        return again
    }

    @Test func `what can not be changed is refused one by one, and one URL is for one download`() async throws {
        try await ServiceFixture.run { fixture in
            fixture.origin.on("/a", { OriginEntity([1]).reply(to: $0) })
            let id = try await fixture.enqueue([try fixture.request("/a")])[0].id
            _ = try await fixture.ended([id])
            let answers = try await change([id, DownloadID(99)], fixture) { $0.retriesMax = 3 }
            #expect(answers.map(\.refusal?.code) == [.refused, .notFound])
            await #expect(throws: Problem.self) {
                _ = try await change([id, DownloadID(99)], fixture) { $0.url = "http://example.org/" }
            }
            await #expect(throws: Problem.self) { _ = try await change([id], fixture) { $0.window = "noon" } }
        }
    }

    @Test func `a row waits for the hours of its download, and a filter finds it`() async throws {
        try await ServiceFixture.run { fixture in
            var request = try fixture.request("/a")
            // Two minutes that lie ahead, at any time of day.
            let now = fixture.service.ledger.world.clock.now()
            let minute = (now.milliseconds / 60_000 + 720) % 1440
            let offset = Int64(fixture.service.ledger.world.clock.secondsFromUTC(at: now) / 60)
            let start = UInt16((minute + offset + 1440) % 1440)
            request.window = DailyWindow(start: start, end: (start + 2) % 1440)?.description
            let row = try await fixture.enqueue([request])[0]
            #expect(row.state == .waiting)
            #expect(row.retryAt.map { $0 > now } ?? false)
            var query = ListQuery()
            query.filter.states = [.waiting]
            #expect(try await fixture.service.list(query).map(\.id) == [row.id])
            #expect(fixture.origin.requests.isEmpty)
        }
    }
}
