import LedgerCoding
import Synchronization

/// How much one request may make: how many calls, and how long an answer. What is written of the answer is counted as
/// it is made, so that what nobody can take is never made.
final class AnswerRoom: Sendable {
    /// The most calls of a request, in its list and in all its `system.multicall` together. aria2 knows no bound but
    /// that of the request; this is more than its clients send at once.
    static let callsMax = 10_000

    private struct State {
        var bytesLeft: Int
        var callsLeft = AnswerRoom.callsMax
    }

    private let bytesMax: Int
    private let state: Mutex<State>

    /// - Parameter bytesMax: the longest answer, in bytes.
    init(bytesMax: Int) {
        self.bytesMax = bytesMax
        state = Mutex(State(bytesLeft: bytesMax))
    }

    private var tooLong: Fault { .tooLong(bytesMax: bytesMax) }

    /// Counts calls that come together.
    /// - Throws: a fault when they are too many: none of them is to be done then.
    func enter(calls count: Int) throws(Fault) {
        let fits = state.withLock { state in
            guard count <= state.callsLeft else { return false }
            state.callsLeft -= count
            return true
        }
        guard fits else { throw .tooManyCalls(max: Self.callsMax) }
    }

    /// - Throws: a fault once something did not fit: what comes after it is not done, and says so.
    func require() throws(Fault) {
        guard state.withLock({ $0.bytesLeft > 0 }) else { throw tooLong }
    }

    /// Counts bytes of a list.
    /// - Throws: a fault when they do not fit, or when the server stops.
    func take(bytes count: Int) throws(Fault) {
        guard !Task.isCancelled else { throw .stopping }
        guard count <= note(bytes: count) else { throw tooLong }
    }

    /// Counts the bytes of an answer that is given in any case: what it tells of is done.
    /// - Returns: how many there was room for before.
    @discardableResult
    func note(bytes count: Int) -> Int {
        state.withLock { state in
            defer { state.bytesLeft -= count }
            return state.bytesLeft
        }
    }
}

extension WireValue {
    /// A list that is written value by value, so that never more of it is in memory than its text.
    /// - Throws: a fault when there is no room for it, or when the server stops.
    static func list<Element>(
        of elements: some Sequence<Element>, in room: AnswerRoom, _ value: (Element) -> WireValue?
    ) throws(Fault) -> WireValue {
        var bytes = Array("[".utf8)
        for element in elements {
            guard let value = value(element) else { continue }
            let start = bytes.count
            if start > 1 { bytes.append(UInt8(ascii: ",")) }
            value.write(to: &bytes)
            try room.take(bytes: bytes.count - start)
        }
        bytes.append(UInt8(ascii: "]"))
        return .written(bytes)
    }

    /// The value as it is written, counted unless it was before.
    func written(in room: AnswerRoom) -> WireValue {
        if case .written = self { return self }
        var bytes: [UInt8] = []
        write(to: &bytes)
        room.note(bytes: bytes.count)
        return .written(bytes)
    }
}
