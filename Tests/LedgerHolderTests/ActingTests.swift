import LedgerAPI
import LedgerEngine
import LedgerHolder
import LedgerModel
import LedgerTestSupport
import SystemPackage
import Testing

/// Who did what is on record, also where one process serves several.
struct ActingTests {
    private func command() -> CommandID {
        var generator = SystemRandomNumberGenerator()
        return CommandID(using: &generator)
    }

    /// The actors of all that was recorded after an event, up to the last one now.
    private func recorded(
        after sequence: SequenceNumber, _ fixture: ServiceFixture
    ) async throws -> [(kind: Event.Kind, actor: EventActor)] {
        let last = fixture.service.ledger.lastSequence
        var found: [(Event.Kind, EventActor)] = []
        var batches = fixture.service.ledger.events(after: sequence).makeAsyncIterator()
        while sequence.rawValue + UInt64(found.count) < last.rawValue, let batch = try await batches.next() {
            found += batch.map { ($0.event.kind, $0.actor) }
        }
        return found
    }

    @Test func `what is asked of it in another's name is recorded as that one's`() async throws {
        try await ServiceFixture.run { fixture in
            fixture.origin.on("/feed.xml") { request in
                let item = "<item><guid>1</guid><enclosure url='/e' type='audio/mpeg'/></item>"
                return OriginEntity(Array("<rss><channel><title>R</title>\(item)</channel></rss>".utf8)).reply(
                    to: request)
            }
            let (service, api) = (fixture.service, fixture.service.acting(as: .api))
            var request = try fixture.request("/a")
            request.isPaused = true
            guard case .accepted(let row, _)? = try await api.enqueue([request]).first else {
                return #expect(Bool(false))
            }
            var change = ChangeRequest()
            change.priority = 3
            for action in [Action.change(change), .pin(true), .cancel, .delete(.keep)] {
                let answers = try await api.act(action, on: .ids([row.id]), command: command())
                #expect(answers.allSatisfy { $0.refusal == nil }, "\(action)")
            }
            #expect(try await api.undo(nil, command: command()).first?.row?.id == row.id)
            #expect(try await recorded(after: .zero, fixture).allSatisfy { $0.actor == .api })
            let before = service.ledger.lastSequence
            var follow = FollowRequest(
                kind: .feed, source: try fixture.origin.url("/feed.xml").text, directory: fixture.downloads.string)
            follow.group = "r"
            guard case .listings(let listings) = try await api.library(.follow(follow)), let listing = listings.first
            else { return #expect(Bool(false)) }
            _ = try await api.library(.take(listing.id, guids: [], .feed, command()))
            _ = try await api.library(.limit(group: "r", newestMax: 5, sizeBytesMax: nil))
            _ = try await api.library(.unfollow(listing.id, .feed))
            let events = try await recorded(after: before, fixture).filter { $0.actor != .worker }
            // Reading a feed is the program's own work.
            #expect(events.contains { $0.actor == .api } && events.allSatisfy { [.api, .feed].contains($0.actor) })
            let middle = service.ledger.lastSequence
            _ = try await service.undo(nil, command: command())
            let own = try await recorded(after: middle, fixture).filter { $0.actor != .worker }
            #expect(own.allSatisfy { $0.actor == .cli }, "the service itself acts as before")
        }
    }

    @Test func `figures count what runs, what waits and what is over`() async throws {
        try await ServiceFixture.run { fixture in
            let gate = OriginGate()
            let bytes = OriginEntity.pattern(200_000)
            fixture.origin.on("/slow") { OriginEntity(bytes).reply(to: $0).holding(at: gate, after: 1000) }
            fixture.origin.on("/done") { OriginEntity([1]).reply(to: $0) }
            var paused = try fixture.request("/paused")
            paused.isPaused = true
            let rows = try await fixture.enqueue([
                try fixture.request("/slow"), try fixture.request("/done"), try fixture.request("/gone"), paused,
            ])
            _ = try await fixture.ended([rows[1].id, rows[2].id])
            // A worker whose download is over is gone a moment later.
            var figures = try await fixture.service.figures()
            while figures.states[.running] != 1 || figures.running != 1 {
                await Task.yield()
                figures = try await fixture.service.figures()
            }
            #expect(figures.live == 2)
            #expect(Set(figures.states.keys) == Set(DownloadState.allCases))
            #expect(figures.states[.completed] == 1 && figures.states[.failed] == 1 && figures.states[.paused] == 1)
            #expect(figures.states[.queued] == 0 && figures.states.values.reduce(0, +) == 4)
            gate.open()
            _ = try await fixture.ended([rows[0].id])
            let after = try await fixture.service.figures()
            #expect(after.live == 1 && after.states[.completed] == 2 && after.states[.running] == 0)
        }
    }
}
