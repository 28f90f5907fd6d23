import DequeModule
import LedgerEngine
import LedgerModel
import NIOCore

/// What all readers of the stream share: the last frames, encoded once, and who waits for the next.
///
/// A reader that is further behind than the ring is served from the log until it reaches it, also one that falls out of
/// the ring while it reads. So no reader costs memory by being slow; one that takes nothing is cut, and resumes by the
/// last number it saw.
final class EventFeed: Sendable {
    /// How many frames are kept.
    static let framesMax = 8192
    /// How many bytes of frames are kept.
    static let bytesMax = 16 << 20

    /// What a reader gets.
    enum Step {
        /// These bytes; go on from that place.
        case frames([ByteBuffer], Place)
        case wait
        /// What comes next is kept no longer.
        case lost
        case closed
    }

    /// Where a reader is.
    struct Place: Sendable {
        /// The number of the next frame.
        fileprivate var index: UInt64
        /// Events up to here were seen: their frames are passed over.
        fileprivate(set) var seen: SequenceNumber
    }

    private struct Frame {
        /// The event's number; nil for a frame that no reader can resume after.
        let sequence: SequenceNumber?
        let bytes: ByteBuffer
    }

    private struct State {
        var frames: Deque<Frame> = []
        var bytes = 0
        /// The number of the first frame that is kept.
        var first: UInt64 = 0
        /// All events after this one have their frames in the ring.
        var base: SequenceNumber
        var last: SequenceNumber
        /// Who reads, and up to where.
        var readers: [UInt64: SequenceNumber] = [:]
        var nextReader: UInt64 = 0
        var isClosed = false
    }

    private let state: Watched<State>

    /// A feed that begins after an event.
    init(after last: SequenceNumber) { state = Watched(State(base: last, last: last)) }

    /// The last event that was handed out.
    var last: SequenceNumber { state.withLock { $0.last } }

    /// How many read now.
    var readers: Int { state.withLock { $0.readers.count } }

    /// How many events the reader furthest behind is behind one; nil when nobody reads.
    func lag(behind last: SequenceNumber) -> UInt64? {
        state.withLock { state in
            state.readers.values.min().map { last.rawValue - min(last.rawValue, $0.rawValue) }
        }
    }

    /// Lists a reader that saw everything up to an event, until it is let go; nil when there are as many as may be.
    func join(after sequence: SequenceNumber, readersMax: Int) -> Reader? {
        let (reader, isFirst) = state.withLock { state -> (Reader?, Bool) in
            guard state.readers.count < readersMax else { return (nil, false) }
            state.nextReader += 1
            state.readers[state.nextReader] = sequence
            return (Reader(feed: self, number: state.nextReader), state.readers.count == 1)
        }
        // Only who waits for the first is to be woken.
        if isFirst { state.change { _ in } }
        return reader
    }

    /// Waits until somebody reads, the feed closes, or the task is cancelled.
    func waitForReader() async { await state.wait { !$0.readers.isEmpty || $0.isClosed } }

    /// The place of a reader among all.
    final class Reader: Sendable {
        private let feed: EventFeed
        private let number: UInt64

        fileprivate init(feed: EventFeed, number: UInt64) {
            self.feed = feed
            self.number = number
        }

        /// Notes how far it is.
        func advance(to sequence: SequenceNumber) { feed.state.withLock { $0.readers[number] = sequence } }

        deinit { feed.state.withLock { _ = $0.readers.removeValue(forKey: number) } }
    }

    /// The place after an event; nil when the ring does not reach back to it.
    func place(after sequence: SequenceNumber) -> Place? {
        state.withLock { state in
            guard sequence >= state.base else { return nil }
            let index = state.frames.firstIndex { ($0.sequence ?? .zero) > sequence } ?? state.frames.count
            return Place(index: state.first + UInt64(index), seen: sequence)
        }
    }

    /// Hands out the frames of events, and what is to be seen of them beside.
    func publish(_ frames: [(SequenceNumber, ByteBuffer)], last: SequenceNumber) {
        state.change { state in
            for (sequence, bytes) in frames { Self.append(Frame(sequence: sequence, bytes: bytes), to: &state) }
            state.last = last
            // Without frames of them, nobody can read these events here.
            if frames.isEmpty {
                // One more than there were: who has its place at their end missed these.
                state.first += UInt64(state.frames.count) + 1
                (state.frames, state.bytes, state.base) = ([], 0, last)
            }
        }
    }

    /// Hands out a frame that no reader can resume after.
    func publish(_ bytes: ByteBuffer) { state.change { Self.append(Frame(sequence: nil, bytes: bytes), to: &$0) } }

    /// Ends every reader, once it has what was handed out.
    func close() { state.change { $0.isClosed = true } }

    /// What a reader gets next: at most 64 KiB and one frame at a time.
    func step(from place: Place) -> Step {
        state.withLock { state in
            guard place.index >= state.first else { return .lost }
            var (place, bytes, size) = (place, [ByteBuffer](), 0)
            var index = Int(place.index - state.first)
            while index < state.frames.count, size < 64 << 10 {
                let frame = state.frames[index]
                index += 1
                if let sequence = frame.sequence {
                    guard sequence > place.seen else { continue }
                    place.seen = sequence
                }
                bytes.append(frame.bytes)
                size += frame.bytes.readableBytes
            }
            place.index = state.first + UInt64(index)
            if !bytes.isEmpty { return .frames(bytes, place) }
            return state.isClosed ? .closed : .wait
        }
    }

    /// Waits until there is something at a place, the feed closes, or the task is cancelled.
    func wait(at place: Place) async {
        await state.wait { $0.first + UInt64($0.frames.count) > place.index || $0.isClosed }
    }

    private static func append(_ frame: Frame, to state: inout State) {
        state.frames.append(frame)
        state.bytes += frame.bytes.readableBytes
        while state.frames.count > framesMax || state.bytes > bytesMax, let oldest = state.frames.popFirst() {
            state.first += 1
            state.bytes -= oldest.bytes.readableBytes
            if let sequence = oldest.sequence { state.base = sequence }
        }
    }
}
