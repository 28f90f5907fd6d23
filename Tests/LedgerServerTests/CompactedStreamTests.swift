import LedgerAPI
import LedgerCoding
import LedgerHolder
import LedgerModel
import Testing

@testable import LedgerServer

/// What those are told who ask for what was compacted away for good.
@Suite(.timeLimit(.minutes(30))) struct CompactedStreamTests {
    /// A ledger whose past was compacted away but for one download, and that was opened anew since.
    private func compacted(_ body: (ServerFixture, UInt64) async throws -> Void) async throws {
        try await ServerFixture.run(
            .with {
                $0.works = false
                $0.past = { service in
                    var ids: [DownloadID] = []
                    for number in 0..<20 {
                        var request = EnqueueRequest(
                            url: "https://files.example.org/\(number)", directory: "/tmp",
                            command: CommandID(high: 1, low: UInt64(number)))
                        request.isPaused = true
                        guard case .accepted(let row, _)? = try await service.enqueue([request]).first else { continue }
                        ids.append(row.id)
                    }
                    let gone = Selection.ids(Array(ids.dropFirst()))
                    _ = try await service.act(.delete(.purge), on: gone, command: CommandID(high: 2, low: 1))
                    var request = CompactRequest()
                    (request.keepEvents, request.drops) = (0, true)
                    #expect(try await service.compact(request).eventsDropped > 0)
                }
            }
        ) { fixture in
            let id = try await fixture.ask("GET", "/v1/downloads").json["downloads"]?.list.first?["id"]?.number
            try await body(fixture, try #require(id))
        }
    }

    @Test(arguments: [1, 1_000_000] as [UInt64])
    func `who asks for what was compacted away is told so, and how things stand`(asked: UInt64) async throws {
        try await compacted { fixture, id in
            let reader = try await FrameReader(fixture, [("Last-Event-ID", "\(asked)")])
            var frame = try #require(try await reader.next())
            // Of this ledger's past it is found out when it is looked up.
            if asked == 1 {
                #expect(frame.name == "hello")
                frame = try #require(try await reader.next())
            }
            let last = fixture.last
            #expect(frame.name == "compacted" && frame.id == nil, "who is cut here is told again")
            #expect(try frame.data["asked"]?.number == asked)
            let snapshot = try #require(try await reader.next())
            #expect(snapshot.name == "snapshot" && snapshot.id == last)
            let data = try snapshot.data
            #expect(data["seq"]?.number == last && data["counts"]?["paused"]?.number == 1)
            #expect(data["queue"]?.list.compactMap { $0["id"]?.number } == [id])
            #expect(data["catalog"]?.list.isEmpty == true)
            let rest = try await fixture.ask("GET", try #require(data["downloads"]?.text)).json
            #expect(rest["seq"]?.number == last && rest["downloads"]?.list.contains { $0["id"]?.number == id } == true)
            // And goes on from there.
            _ = try await fixture.ask("POST", "/v1/downloads/\(id)/resume")
            #expect(try await reader.next("ledger")?.id == last + 1)
            try await reader.close()
        }
    }

    @Test func `a list of events that begins before what was compacted is refused by name`() async throws {
        try await compacted { fixture, _ in
            let answer = try await fixture.ask("GET", "/v1/events?after=1")
            #expect((400...499).contains(answer.status), "\(answer.status)")
            #expect(answer["content-type"] == "application/problem+json" && answer.text.contains("compacted"))
            let first = try #require(try await fixture.ask("GET", "/v1/log").json["first"]?.number)
            let rest = try await fixture.ask("GET", "/v1/events?after=\(first - 1)").lines
            #expect(rest.first?["seq"]?.number == first)
        }
    }
}
