import LedgerAPI
import LedgerCoding
import LedgerEngine
import LedgerHolder
import LedgerModel
import LedgerTestSupport
import Testing

@testable import LedgerAria2

/// What clients over a WebSocket are told, and in which order.
struct HeraldTests {
    /// Takes notifications until there are so many; each as its last word and the GID.
    private func take(
        _ count: Int, from frames: inout AsyncStream<[UInt8]>.Iterator
    ) async throws -> [String] {
        var told: [String] = []
        while told.count < count, let frame = await frames.next(isolation: #isolation) {
            let value = try JSONValue.read(frame)
            #expect(value["jsonrpc"] == "2.0")
            let method = try #require(value["method"]?.string)
            let gid = try #require(value["params"]?[0]?["gid"]?.string)
            told.append("\(method.dropFirst("aria2.onDownload".count)) \(gid.suffix(2))")
        }
        return told
    }

    @Test(.timeLimit(.minutes(30)))
    func `each thing that happens is told once, in its order`() async throws {
        try await Aria2Fixture.run { fixture in
            var frames = fixture.endpoint.notifications().makeAsyncIterator()
            fixture.origin.on("/ok") { OriginEntity([1, 2, 3]).reply(to: $0) }
            _ = try await fixture.add("/ok", ["gid": "00000000000000a1"])
            #expect(try await take(2, from: &frames) == ["Start a1", "Complete a1"])
            _ = try await fixture.add("/none", ["gid": "00000000000000a2"])
            #expect(try await take(2, from: &frames) == ["Start a2", "Error a2"])

            // Twice it gives a quarter: what came before the pause stays.
            let gate = fixture.hold("/held", bytes: 400_000)
            let held = try await fixture.add("/held", ["gid": "00000000000000a3"])
            #expect(try await take(1, from: &frames) == ["Start a3"])
            try await fixture.call("aria2.pause", held)
            #expect(try await take(1, from: &frames) == ["Pause a3"])
            try await fixture.call("aria2.unpause", held)
            #expect(try await take(1, from: &frames) == ["Start a3"])
            try await fixture.call("aria2.remove", held)
            #expect(try await take(1, from: &frames) == ["Stop a3"])
            gate.open()

            // What never ran is told nothing of: neither its pause nor its removal.
            let paused = try await fixture.add("/ok", ["gid": "00000000000000a4", "pause": "true"])
            try await fixture.call("aria2.remove", paused)
            try await fixture.call("aria2.addTorrent", "ZGU=", [], ["gid": "00000000000000a5"])
            #expect(try await take(1, from: &frames) == ["Error a5"])
            _ = try await fixture.add("/ok", ["gid": "00000000000000a6"])
            #expect(try await take(2, from: &frames) == ["Start a6", "Complete a6"])
        }
    }

    @Test(.timeLimit(.minutes(30)))
    func `everyone who listens is told, from when they began, until the ledger is closed`() async throws {
        var listeners: [AsyncStream<[UInt8]>.Iterator] = []
        try await Aria2Fixture.run { fixture in
            fixture.origin.on("/ok") { OriginEntity([1]).reply(to: $0) }
            var first = fixture.endpoint.notifications().makeAsyncIterator()
            _ = try await fixture.add("/ok", ["gid": "00000000000000a1"])
            let told = ["Start a1", "Complete a1"]
            #expect(try await take(2, from: &first) == told)
            var second = fixture.endpoint.notifications().makeAsyncIterator()
            _ = try await fixture.add("/ok", ["gid": "00000000000000a2"])
            #expect(try await take(2, from: &first) == ["Start a2", "Complete a2"])
            #expect(try await take(2, from: &second) == ["Start a2", "Complete a2"])
            listeners = [first, second]
        }
        for index in listeners.indices { #expect(await listeners[index].next(isolation: #isolation) == nil) }
    }

    @Test func `what is told is in aria2's form`() {
        let frame = Herald.frame(.complete, GID(0xaa))
        #expect(
            String(decoding: frame, as: UTF8.self)
                == #"{"jsonrpc":"2.0","method":"aria2.onDownloadComplete","params":[{"gid":"00000000000000aa"}]}"#)
    }

    @Test func `a start is told of before an end, also of what ended before anyone looked`() {
        let (id, other) = (DownloadID(1), DownloadID(2))
        func event(_ event: Event, _ id: DownloadID) -> Recorded {
            Recorded(
                sequence: SequenceNumber(9), time: Timestamp(milliseconds: 0), id: id, command: nil, actor: .worker,
                event: event)
        }
        let queue = Queue()
        var chronicle = Chronicle(after: SequenceNumber(2))
        func told(_ events: (Event, DownloadID)..., active: Set<DownloadID> = []) -> [String] {
            for (news, id) in events { chronicle.take(event(news, id), queue) }
            return chronicle.tell(active: active).map { "\($0.notification) \($0.id.rawValue)" }
        }
        #expect(told(active: [other, DownloadID(3)]) == ["start 3"], "what ran before, and what was added since")
        #expect(told((.paused, other), active: []) == ["pause 2"])
        let failure = Failure(.status, "so", isRetryable: true)
        #expect(told((.failed(failure, retryAt: nil), id)) == ["start 1", "error 1"])
        #expect(told(active: [other, id]) == ["start 1", "start 2"])
        #expect(told(active: [other]) == [])
        let later = Timestamp(milliseconds: 5)
        #expect(told((.failed(failure, retryAt: later), id)) == [], "it is tried again")
        #expect(told((.paused, id)) == ["pause 1"])
        #expect(told((.paused, id)) == [])
        #expect(told((.cancelled, id)) == [], "it was paused")
        #expect(told((.deleted(.keepFile), other), active: [id]) == ["stop 2", "start 1"], "what ends makes room")
        let evicted = Failure(.evicted, "full", isRetryable: false)
        #expect(told((.failed(evicted, retryAt: nil), other)) == ["error 2"], "it never ran")
    }
}
