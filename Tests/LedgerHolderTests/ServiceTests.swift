import LedgerAPI
import LedgerEngine
import LedgerLog
import LedgerModel
import LedgerSystem
import LedgerTestSupport
import SystemPackage
import Testing

@testable import LedgerHolder

struct ServiceTests {
    @Test func `what is asked for is fetched over a real socket onto a real disk`() async throws {
        try await ServiceFixture.run { fixture in
            let bytes = OriginEntity.pattern(300_000)
            fixture.origin.on("/a.bin", { OriginEntity(bytes).reply(to: $0) })
            let rows = try await fixture.enqueue([try fixture.request("/a.bin"), try fixture.request("/none")])
            let ended = try await fixture.ended(rows.map(\.id))
            #expect(ended.map(\.state) == [.completed, .failed])
            #expect(ended[0].size == 300_000)
            #expect(ended[1].error?.code == "status")
            #expect(try fixture.files()[fixture.downloads.appending("a.bin")] == bytes)
        }
    }

    @Test func `asking twice for the same joins, also once it is completed`() async throws {
        try await ServiceFixture.run { fixture in
            fixture.origin.on("/a", { OriginEntity([1, 2, 3]).reply(to: $0) })
            let first = try await fixture.enqueue([try fixture.request("/a"), try fixture.request("/a")])
            #expect(first[0].id == first[1].id)
            _ = try await fixture.ended([first[0].id])
            let again = try await fixture.enqueue([try fixture.request("/a")])
            #expect(again[0].id == first[0].id)
            #expect(again[0].state == .completed)
            #expect(fixture.origin.requests.count == 1)
        }
    }

    @Test func `a watcher that is cancelled ends quietly, whatever happened meanwhile`() async throws {
        try await ServiceFixture.run { fixture in
            fixture.origin.on("/a", { OriginEntity([1, 2, 3]).reply(to: $0) })
            _ = try await fixture.enqueue([try fixture.request("/a")])
            let service = fixture.service
            let watching = Task {
                withUnsafeCurrentTask { unsafe $0?.cancel() }
                return try await service.touched(after: .zero, upTo: service.ledger.lastSequence) == nil
            }
            #expect(try await watching.value)
        }
    }

    @Test func `pause stops a transfer, resume carries it on, delete and undo move the file`() async throws {
        try await ServiceFixture.run { fixture in
            let bytes = OriginEntity.pattern(200_000)
            let gate = OriginGate()
            fixture.origin.script(
                "/a",
                [
                    { OriginEntity(bytes).reply(to: $0).holding(at: gate, after: 100_000) },
                    { OriginEntity(bytes).reply(to: $0) },
                ])
            let id = try await fixture.enqueue([try fixture.request("/a")])[0].id
            await gate.reached()
            let paused = try await act(.pause, id, fixture)
            #expect(paused.state == .paused)
            gate.open()
            _ = try await act(.resume, id, fixture)
            #expect(try await fixture.ended([id])[0].state == .completed)
            let path = fixture.downloads.appending("a")
            #expect(try fixture.files()[path] == bytes)

            #expect(try await act(.delete(.trash), id, fixture).state == .deleted)
            #expect(try fixture.files()[path] == nil)
            let undone = try await fixture.service.undo(nil, command: CommandID(high: 9, low: 9))
            #expect(undone.map(\.row?.state) == [.completed])
            #expect(try fixture.files()[path] == bytes)
        }
    }

    @Test func `one undo takes back all that one command did, and asked again it answers the same`() async throws {
        try await ServiceFixture.run { fixture in
            let ids = try await fixture.enqueue(try ["/a", "/b", "/c"].map { try fixture.request($0) }).map(\.id)
            _ = try await fixture.service.act(.delete(.keep), on: .ids(ids), command: CommandID(high: 1, low: 1))
            for _ in 1...2 {
                let undone = try await fixture.service.undo(nil, command: CommandID(high: 9, low: 9))
                #expect(undone.compactMap(\.row?.id) == ids.reversed())
                #expect(Set(undone.compactMap(\.undone)).count == ids.count)
                #expect(undone.allSatisfy { $0.row?.state != .deleted })
            }
        }
    }

    private func act(_ action: Action, _ id: DownloadID, _ fixture: ServiceFixture) async throws -> DownloadRow {
        var generator = SystemRandomNumberGenerator()
        let answers = try await fixture.service.act(action, on: .ids([id]), command: CommandID(using: &generator))
        if let refusal = answers[0].refusal { throw refusal }
        return try #require(answers[0].row)
    }

    @Test(arguments: [EnqueueRequest.Collision.skip, .overwrite], [false, true])
    func `several that want one name at once leave one file`(
        collision: EnqueueRequest.Collision, isHeld: Bool
    ) async throws {
        try await ServiceFixture.run { fixture in
            let (gate, hosts) = (OriginGate(), ["/x", "/y", "/z"])
            for (place, host) in hosts.enumerated() {
                let entity = OriginEntity(Array(repeating: UInt8(place), count: 3000))
                fixture.origin.on(host + "/f.bin") { request in
                    isHeld ? entity.reply(to: request).holding(at: gate, after: 1000) : entity.reply(to: request)
                }
            }
            let requests = try hosts.map { host in
                var request = try fixture.request(host + "/f.bin")
                request.collision = collision
                return request
            }
            let ids = try await fixture.enqueue(requests).map(\.id)
            while isHeld, fixture.origin.requests.count < hosts.count { await Task.yield() }
            gate.open()
            _ = try await fixture.ended(ids)
            // Those that share a file still have it when it is looked at; of those whose file another's took the place
            // of, none is there.
            _ = try await fixture.service.reconcile(ReconcileRequest(command: CommandID(high: 7, low: 7)))
            let ended = try await fixture.ended(ids)
            let (whole, gone) = (
                ended.count { $0.state == .completed }, ended.count { $0.state == .missing }
            )
            #expect((whole, gone) == (collision == .skip ? (3, 0) : (1, 2)), "\(ended)")
            let files = try fixture.files().keys.filter { $0.starts(with: fixture.downloads) }
            #expect(files == [fixture.downloads.appending("f.bin")])
        }
    }

    @Test func `who watches everything is told of what begins and ends between two looks`() async throws {
        try await ServiceFixture.run { fixture in
            fixture.origin.on("/a", { OriginEntity([1, 2, 3]).reply(to: $0) })
            let (looks, look) = AsyncStream.makeStream(of: [DownloadRow].self)
            let (service, gate) = (fixture.service, OriginGate())
            let watching = Task {
                try await service.watch(WatchQuery(untilEnd: false)) { rows in
                    look.yield(rows)
                    await gate.pass()
                    return true
                }
            }
            var seen = looks.makeAsyncIterator()
            #expect(await seen.next() == [])
            let id = try await fixture.enqueue([try fixture.request("/a")])[0].id
            _ = try await fixture.ended([id])
            watching.cancel()
            gate.open()
            #expect(await seen.next()?.map(\.state) == [.completed])
            try await watching.value
        }
    }

    @Test func `a socket of a process that is gone does not stand in the way`() async throws {
        try await ServiceFixture.run { fixture in
            await fixture.service.drain()
            #expect(try RealFileSystem().status(of: fixture.home.appending("ledger.sock")) != nil)
            do throws(LedgerError) {
                _ = try await LedgerService.open(LedgerHome(fixture.home))
                Issue.record("two held one ledger")
            } catch {
                guard case .log(let cause) = error else { throw error }
                #expect(cause.code == .locked)
            }
        }
    }

    @Test func `bad requests are refused one by one, and the others go on`() async throws {
        try await ServiceFixture.run { fixture in
            fixture.origin.on("/a", { OriginEntity([1]).reply(to: $0) })
            var bad = try fixture.request("/a")
            bad.url = "gopher://example.org/"
            let answers = try await fixture.service.enqueue([bad, try fixture.request("/a")])
            guard case .refused(let problem) = answers[0], case .accepted(let row, joined: false) = answers[1] else {
                Issue.record("one is refused and one accepted: \(answers)")
                return
            }
            #expect(problem.code == .badURL)
            #expect(try await fixture.ended([row.id])[0].state == .completed)
        }
    }
}
