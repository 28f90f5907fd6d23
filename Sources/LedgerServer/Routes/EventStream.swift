import HTTPTypes
import Hummingbird
import HummingbirdCore
import LedgerAPI
import LedgerCoding
import LedgerEngine
import LedgerHolder
import LedgerLog
import LedgerModel
import LedgerSystem
import NIOCore

/// `GET /v1/events/stream`: what happens, as it happens, without a gap from wherever a reader stopped.
struct EventStream: Sendable {
    let service: LedgerService
    let feed: EventFeed
    let gate: Gate
    let version: String

    /// How many events of the log are written at once.
    private static let partEventsMax = 128
    /// How many events of the log wait in memory for a reader that is slow, or takes none: there may be as many of
    /// those as may read. For one that takes them as they come it is up to ``Subscription/pageEventsMax``.
    private static let pageEventsMin = 256
    /// How long a reader that takes them as they come needs for a page.
    private static let pageQuick = Duration.milliseconds(250)
    /// How many may read at once.
    static let readersMax = 1_500
    /// The most rows of the queue, and of the catalog, that a snapshot has.
    private static let snapshotRowsMax = 100

    /// Answers a reader.
    func answer(_ call: Call) async throws -> Response {
        let query = call.query
        try query.require(only: ["after"])
        // What is no number is none of this ledger's: who sent it is told that there may be a gap.
        let header = call.request.headers[.lastEventID].flatMap { text in
            text.isEmpty ? nil : UInt64(text) ?? UInt64(Int64.max)
        }
        let asked = try header ?? query.number("after", 0...UInt64(Int64.max))
        let begin = asked.map { SequenceNumber($0) }
        guard let reader = feed.join(after: begin ?? feed.last, readersMax: Self.readersMax) else {
            throw Refusal(
                .serviceUnavailable,
                Problem(.refused, "\(Self.readersMax) readers follow already", next: "try again later"),
                fields: [.retryAfter: "10"])
        }
        let fields: HTTPFields = [
            .contentType: "text/event-stream", .cacheControl: "no-store", .xContentTypeOptions: "nosniff",
        ]
        let (body, head, address) = (call.request.body, call.request.head, call.address)
        return Response(
            status: .ok, headers: fields,
            body: ResponseBody { writer in
                let out = writer
                // Who hangs up while nothing happens is let go at once.
                try await body.consumeWithCancellationOnInboundClose { _ in
                    var out = out
                    try await send(from: begin, as: reader, to: &out) {
                        // A token that was revoked meanwhile opens nothing any longer.
                        do throws(Refusal) { return try gate.scope(head, from: address) != nil } catch { return false }
                    }
                }
                try await writer.finish(nil)
            })
    }

    @concurrent private func send(
        from asked: SequenceNumber?, as reader: EventFeed.Reader, to writer: inout any ResponseBodyWriter,
        while isAdmitted: @Sendable () -> Bool
    ) async throws {
        let last = service.ledger.lastSequence
        var seen = asked ?? last
        if seen > last {
            // A number of another ledger, or of this one before it was brought back from a copy.
            seen = try await sayCompacted(asked: seen, to: &writer)
        } else {
            let hello: JSONValue = ["seq": JSONValue(seen.rawValue), "version": .string(version)]
            try await writer.write(Frames.frame("hello", hello, id: seen))
        }
        var pageEvents = Self.pageEventsMin
        while !Task.isCancelled {
            guard var place = feed.place(after: seen) else {
                let (last, writing) = try await catchUp(
                    after: seen, pageEventsMax: pageEvents, to: &writer, while: isAdmitted)
                guard let last else { return }
                seen = last
                pageEvents =
                    writing < Self.pageQuick
                    ? min(pageEvents * 2, Subscription.pageEventsMax)
                    : Self.pageEventsMin
                reader.advance(to: seen)
                continue
            }
            reading: while !Task.isCancelled {
                switch feed.step(from: place) {
                case .frames(let frames, let next):
                    guard isAdmitted() else { return }
                    try await writer.write(contentsOf: frames)
                    place = next
                    seen = next.seen
                    reader.advance(to: seen)
                case .wait: await feed.wait(at: place)
                case .lost:
                    // A batch that the feed can not hold, or a slow reader: the log tells it, as fast as it takes it.
                    try await writer.write(Frames.frame("reload", ["after": JSONValue(seen.rawValue)]))
                    break reading
                case .closed: return
                }
            }
        }
    }

    /// Writes a stretch of the log that the feed does not hold.
    /// - Returns: its end, nil when the reader is admitted no longer, and how long it took for it.
    @concurrent private func catchUp(
        after sequence: SequenceNumber, pageEventsMax: Int, to writer: inout any ResponseBodyWriter,
        while isAdmitted: @Sendable () -> Bool
    ) async throws -> (SequenceNumber?, Duration) {
        var batches = service.ledger.events(after: sequence, pageEventsMax: pageEventsMax).makeAsyncIterator()
        do throws(LedgerError) {
            guard let batch = try await batches.next(), let last = batch.last?.sequence else { throw .closed }
            let clock = service.ledger.world.clock
            let begun = clock.uptime()
            do {
                // In parts: who leaves, or a server that ends, does not wait for all of them.
                for start in stride(from: 0, to: batch.count, by: Self.partEventsMax) {
                    try Task.checkCancellation()
                    guard isAdmitted() else { return (nil, .zero) }
                    // A long log is no reason for others to wait.
                    await Task.yield()
                    let part = batch[start..<min(start + Self.partEventsMax, batch.count)]
                    try await writer.write(contentsOf: part.map(Frames.frame))
                }
            } catch { throw .closed }
            return (last, clock.uptime() - begun)
        } catch {
            guard Problem(error).code == .missing || error.isCompacted else { throw error }
            return (try await sayCompacted(asked: sequence, to: &writer), .zero)
        }
    }

    /// Says that what a reader missed can not be told any more, and how things stand now. Only the end of that can be
    /// resumed after: who was cut before it is told again.
    /// - Returns: the event up to which it was told.
    @concurrent private func sayCompacted(
        asked: SequenceNumber, to writer: inout any ResponseBodyWriter
    ) async throws -> SequenceNumber {
        let state = try await service.read { $0 }
        let last = state.sequence
        try await writer.write(
            Frames.frame("compacted", ["asked": JSONValue(asked.rawValue), "first": JSONValue(last.next.rawValue)]))
        var snapshot = StateView(state: state, rows: RowView(), service: service)
            .json([.queue, .catalog], rowsMax: Self.snapshotRowsMax)
        // All others, page by page, as they stood at the same event.
        snapshot["downloads"] = .string("/v1/downloads?at=\(last)")
        try await writer.write(Frames.frame("snapshot", .object(snapshot), id: last))
        return last
    }
}

extension LedgerError {
    /// Whether what was asked for was taken out of the log.
    fileprivate var isCompacted: Bool {
        switch self {
        case .compacted: true
        case .log(let cause): cause.code == .dropped || cause.code == .missing
        default: false
        }
    }
}
