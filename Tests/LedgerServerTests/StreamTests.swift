import LedgerAPI
import LedgerCoding
import LedgerEngine
import LedgerModel
import LedgerTestSupport
import NIOCore
import Testing

@testable import LedgerServer

/// The stream of events: no gap, no double, and no reader that costs memory by being slow.
@Suite(.timeLimit(.minutes(30))) struct StreamTests {
    private func add(_ count: Int, _ fixture: ServerFixture, _ more: JSONObject = [:]) async throws -> [UInt64] {
        let begun = fixture.last
        let forms = (0..<count).map { number -> JSONValue in
            var form: JSONObject = ["url": "https://files.example.org/\(begun)/\(number)", "paused": true]
            form.merge(more)
            return .object(form)
        }
        let answer = try await fixture.ask("POST", "/v1/downloads", .array(forms))
        #expect(answer.status == 201)
        return try answer.json["downloads"]?.list.compactMap { $0["id"]?.number } ?? []
    }

    @Test func `a new reader is told where it begins, and what happens from then on`() async throws {
        try await ServerFixture.run(.idle) { fixture in
            let before = try await add(2, fixture)
            let reader = try await FrameReader(fixture)
            let hello = try #require(try await reader.next())
            #expect(hello.name == "hello" && hello.id == fixture.last)
            #expect(try hello.data["seq"]?.number == hello.id && hello.data["version"] == "test")
            let id = try await fixture.addPaused("/new")
            let first = try #require(try await reader.next("ledger"))
            let event = try first.data
            #expect(first.id == hello.id.map { $0 + 1 } && event["seq"]?.number == first.id)
            #expect(event["type"] == "enqueued" && event["id"]?.number == id && !before.contains(id))
            // The same event as the list of events has it.
            let listed = try await fixture.ask("GET", "/v1/events?after=\(hello.id ?? 0)&limit=1")
            #expect(try listed.lines == [event])
            try await reader.close()
        }
    }

    @Test func `a batch that is more than the feed holds reaches a reader whole`() async throws {
        try await ServerFixture.run(.idle) { fixture in
            let reader = try await FrameReader(fixture)
            _ = try #require(try await reader.next())
            let begun = fixture.last
            _ = try await add(EventFeed.framesMax / 2 + 500, fixture)
            let last = fixture.last
            #expect(last - begun > UInt64(EventFeed.framesMax))
            #expect(try await reader.numbers(upTo: last) == Array(begun + 1...last))
            try await reader.close()
        }
    }

    @Test func `who is cut again and again, and resumes by its last number, sees each event once`() async throws {
        try await ServerFixture.run(.idle) { fixture in
            let ids = try await add(100, fixture)
            let begun = fixture.last
            async let changes: Void = {
                for id in ids {
                    for action in ["resume", "pause"] {
                        _ = try await fixture.ask("POST", "/v1/downloads/\(id)/\(action)")
                    }
                }
            }()
            let expected = begun + UInt64(ids.count * 2)
            var seen: [UInt64] = []
            var turn = 0
            while seen.last ?? 0 < expected {
                let last = seen.last ?? 0
                let reader = try await FrameReader(
                    fixture, after: 0, last > 0 ? [("Last-Event-ID", "\(last)")] : [])
                let hello = try #require(try await reader.next())
                #expect(hello.name == "hello" && hello.id == last)
                // Some leave after one event, some after many.
                turn += 1
                for _ in 0..<(turn % 5) * 17 + 1 where seen.last ?? 0 < expected {
                    guard let id = try #require(try await reader.next("ledger")).id else { break }
                    seen.append(id)
                }
                try await reader.close()
            }
            try await changes
            #expect(seen == Array(1...expected) && turn > 3)
        }
    }

    @Test func `many readers see the same, wherever each began`() async throws {
        try await ServerFixture.run(.idle) { fixture in
            _ = try await add(50, fixture)
            let begun = fixture.last
            let starts = [0, 1, begun / 2, begun]
            var readers: [FrameReader] = []
            for start in starts { readers.append(try await FrameReader(fixture, after: start)) }
            _ = try await add(50, fixture)
            let last = fixture.last
            for (start, reader) in zip(starts, readers) {
                #expect(try await reader.numbers(upTo: last) == Array(start + 1...last), "\(start)")
                try await reader.close()
            }
        }
    }

    @Test func `frames that say how downloads stand have no number`() async throws {
        try await ServerFixture.run { fixture in
            let (gate, body) = (OriginGate(), OriginEntity.pattern(200_000))
            fixture.origin.on("/f.bin") { OriginEntity(body).reply(to: $0).holding(at: gate, after: 100_000) }
            let reader = try await FrameReader(fixture, after: 0)
            let id = try await fixture.add(["url": .string(try fixture.url("/f.bin"))])
            var states: [String] = []
            while let frame = try await reader.next(), states.last != "completed" {
                switch frame.name {
                case "ledger", "hello": #expect(frame.id != nil)
                case "rows":
                    #expect(frame.id == nil)
                    let row = try frame.data["rows"]?.list.first { $0["id"]?.number == id }
                    if let state = row?["state"]?.text, state != states.last { states.append(state) }
                    if row?["state"] == "running", (row?["received"]?.number ?? 0) > 0 { gate.open() }
                default: #expect(frame.id == nil)
                }
            }
            #expect(states.contains("running") && states.last == "completed")
            try await reader.close()
        }
    }

    @Test func `a reader that takes nothing is cut, holds no memory, and resumes`() async throws {
        try await ServerFixture.run(
            .with {
                $0.works = false
                $0.server = { $0.patience.stallMillisecondsMax = 300 }
            }
        ) { fixture in
            let slow = try await FrameReader(fixture, after: 0, readsNothing: true)
            // More than the system holds for a connection, at both its ends.
            let details = JSONValue.string(String(repeating: "x", count: 20_000))
            for _ in 0..<4 { _ = try await add(100, fixture, ["details": details]) }
            while try await readers(fixture) > 0 { await Task.yield() }
            let last = fixture.last
            try await slow.wire.readOn()
            _ = try #require(try await slow.wire.take { bytes, _ in try Answer.head(&bytes) })
            let seen = try await slow.numbers(upTo: last)
            #expect(seen == Array(1..<UInt64(seen.count) + 1) && UInt64(seen.count) < last)
            let again = try await FrameReader(fixture, [("Last-Event-ID", "\(seen.count)")])
            #expect(try await again.numbers(upTo: last) == Array(UInt64(seen.count) + 1...last))
            try await again.close()
        }
    }

    /// How many readers the server counts.
    private func readers(_ fixture: ServerFixture) async throws -> Int {
        let text = try await fixture.ask("GET", "/metrics").text
        let line = text.split(separator: "\n").first { $0.hasPrefix("ledger_stream_readers ") }
        return try #require(line?.split(separator: " ").last.flatMap { Int($0) })
    }

    @Test func `what readers share is bounded, and who falls out of it is told`() {
        let feed = EventFeed(after: SequenceNumber(0))
        let start = feed.place(after: SequenceNumber(0))
        var reader = feed.join(after: SequenceNumber(0), readersMax: 1)
        #expect(reader != nil && feed.join(after: SequenceNumber(0), readersMax: 1) == nil)
        let count = UInt64(EventFeed.framesMax) + 10
        for number in 1...count {
            feed.publish([(SequenceNumber(number), ByteBuffer(string: "x"))], last: SequenceNumber(number))
        }
        if let start, case .lost = feed.step(from: start) {} else { #expect(Bool(false)) }
        #expect(feed.place(after: SequenceNumber(5)) == nil && feed.place(after: SequenceNumber(10)) != nil)
        // Large frames are bounded by their bytes.
        let large = ByteBuffer(repeating: 1, count: EventFeed.bytesMax / 4)
        for number in count + 1...count + 8 {
            feed.publish([(SequenceNumber(number), large)], last: SequenceNumber(number))
        }
        #expect(
            feed.place(after: SequenceNumber(count + 3)) == nil && feed.place(after: SequenceNumber(count + 4)) != nil)
        reader = nil
        #expect(feed.readers == 0)
    }

    @Test func `who asks and is gone at once is not counted for ever`() async throws {
        try await ServerFixture.run(.idle) { fixture in
            for _ in 0..<100 {
                let wire = try await fixture.connect()
                try await wire.send(fixture.head("GET", "/v1/events/stream"))
                try await wire.close()
            }
            while try await readers(fixture) > 0 { await Task.yield() }
        }
    }

    @Test func `when the server ends, streams end in order`() async throws {
        var reader: FrameReader?
        try await ServerFixture.run(.idle) { fixture in
            reader = try await FrameReader(fixture)
            _ = try await fixture.addPaused("/f")
            #expect(try await reader?.next("ledger") != nil)
        }
        while let frame = try await reader?.next() { #expect(frame.name != "hello") }
        try await reader?.close()
    }

    @Test func `a number that is none is refused, and one of a header goes before the query's`() async throws {
        try await ServerFixture.run(.idle) { fixture in
            _ = try await add(3, fixture)
            for query in ["after=x", "after=-1", "after=9223372036854775808", "from=1"] {
                #expect(try await fixture.ask("GET", "/v1/events/stream?\(query)").status == 400, "\(query)")
            }
            let reader = try await FrameReader(fixture, after: 0, [("Last-Event-ID", "2")])
            #expect(try await reader.next()?.id == 2)
            #expect(try await reader.next("ledger")?.id == 3)
            try await reader.close()
        }
    }
}
