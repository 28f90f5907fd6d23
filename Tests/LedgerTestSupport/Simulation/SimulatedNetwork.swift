import HTTPTypes
package import LedgerModel
package import LedgerSystem
package import LedgerTransfer
import Synchronization

/// Origins and the way to them, with mishaps by chance: refusals, errors, bodies that are cut, ranges that are not
/// heeded, entities that change, errors that call themselves successes. All of it follows from the seed and from the
/// order of what is asked.
package final class SimulatedNetwork: Transport {
    /// How often something goes wrong, in a hundred requests.
    package struct Mishaps: Sendable {
        /// The connection is refused.
        package var refusals = 6
        /// The answer is 503.
        package var errors = 6
        /// The body is cut.
        package var cuts = 25
        /// A range is answered with the whole entity.
        package var wholeAnswers = 5
        /// The entity has become another one.
        package var changes = 4
        /// Something else is answered, as if it were the file, where the place does that.
        package var untruths = 20

        /// A network as it is.
        package init() {}

        /// One where nothing goes wrong.
        package static var none: Mishaps {
            var none = Mishaps()
            (none.refusals, none.errors, none.cuts) = (0, 0, 0)
            (none.wholeAnswers, none.changes, none.untruths) = (0, 0, 0)
            return none
        }
    }

    /// An answer of a place.
    package struct Turn: Sendable {
        /// What it sends in place of its file; nil for that.
        package var untruth: [UInt8]?
        /// Whether a range is answered with all of it, and the length is not told.
        package var isWhole = false
        /// After which part of the body the connection is lost; nil for never.
        package var cut: Double?

        /// Its file, as it is asked for.
        package init(_ untruth: [UInt8]? = nil, isWhole: Bool = false, cut: Double? = nil) {
            (self.untruth, self.isWhole, self.cut) = (untruth, isWhole, cut)
        }
    }

    /// What stands at a path.
    package struct Place: Sendable {
        /// The file.
        package var entity: OriginEntity
        /// What is answered first, before chance says what is.
        package var turns: [Turn] = []
        /// Whether it tells untruths instead of having another file at times; whoever fetches it is to know its digest.
        package var lies = false

        /// A place that tells the truth.
        package init(_ entity: OriginEntity) { self.entity = entity }
    }

    private struct State {
        var chance: SplitMix64
        var mishaps: Mishaps
        /// The entities a path has had, the last one being what it has.
        var entities: [String: [OriginEntity]]
        /// What each path is to answer first.
        var turns: [String: [Turn]]
        /// What each path that lies has answered, or will, in place of its file.
        var untruths: [String: [[UInt8]]]
    }

    private let clock: any LedgerClock
    private let state: Mutex<State>
    /// How many entities a path has at most, one after the other.
    private static let changesMax = 3
    private static let lost = Failure(.connectionLost, "the connection was lost", isRetryable: true)

    /// A network with these places, by their paths.
    package init(
        seed: UInt64, clock: any LedgerClock, mishaps: Mishaps = Mishaps(), _ places: [String: Place]
    ) {
        self.clock = clock
        state = Mutex(
            State(
                chance: SplitMix64(seed: seed), mishaps: mishaps, entities: places.mapValues { [$0.entity] },
                turns: places.mapValues(\.turns),
                untruths: places.filter(\.value.lies).mapValues { $0.turns.compactMap(\.untruth) }))
    }

    private init(_ clock: any LedgerClock, _ state: State) {
        self.clock = clock
        self.state = Mutex(state)
    }

    /// The same origins, as they are now, by another clock and over a network where nothing goes wrong.
    package func calm(_ clock: any LedgerClock) -> SimulatedNetwork {
        var state = state.withLock { $0 }
        (state.mishaps, state.turns) = (.none, [:])
        return SimulatedNetwork(clock, state)
    }

    /// The bytes that a path has, or had once, oldest first.
    package func versions(of path: String) -> [[UInt8]] {
        state.withLock { $0.entities[path, default: []].map(\.bytes) }
    }

    /// What a path that lies has answered in place of its file, or will; nil where it does not lie.
    package func untruths(of path: String) -> [[UInt8]]? { state.withLock { $0.untruths[path] } }

    /// One request's fate.
    private enum Fate {
        case failure(Failure)
        case status(Int)
        /// An answer, cut after so many bytes unless that is nil, in chunks of so many.
        case answer(OriginEntity, isWhole: Bool, tellsLength: Bool, cut: Double?, chunkBytes: Int)
    }

    package func fetch(
        _ request: TransferRequest,
        receive: @escaping @Sendable (TransferResponse) async throws(Failure) -> (any BodySink)?
    ) async throws(Failure) {
        try await pause(atMost: 200)
        switch fate(of: request.url.path) {
        case .failure(let failure): throw failure
        case .status(let status):
            _ = try await receive(TransferResponse(status: status, fields: [:], framing: .length(0)))
        case .answer(let entity, let isWhole, let tellsLength, let cut, let chunkBytes):
            var (head, body) = entity.answer(to: request, isWhole: isWhole)
            if !tellsLength { head.framing = .chunked }
            guard let sink = try await receive(head) else { return }
            let end = cut.map { Int(Double(body.count) * $0) } ?? body.count
            for start in stride(from: 0, to: end, by: chunkBytes) {
                try await pause(atMost: 900)
                let chunk = Array(body[start..<min(start + chunkBytes, end)])
                _ = try sink.write(chunk.span.bytes)
            }
            if cut != nil { throw Self.lost }
        }
    }

    private func pause(atMost milliseconds: Int) async throws(Failure) {
        let pause = state.withLock { Int.random(in: 0...milliseconds, using: &$0.chance) }
        do { try await clock.sleep(until: clock.uptime() + .milliseconds(pause)) } catch { throw Self.lost }
    }

    private func fate(of path: String) -> Fate {
        state.withLock { state in
            guard var entity = state.entities[path]?.last else { return .status(404) }
            if let turn = state.turns[path]?.first {
                state.turns[path]?.removeFirst()
                let said = turn.untruth.map { OriginEntity($0, entityTag: nil) } ?? entity
                return .answer(
                    said, isWhole: turn.isWhole || turn.untruth != nil, tellsLength: !turn.isWhole, cut: turn.cut,
                    chunkBytes: 4096)
            }
            let mishaps = state.mishaps
            func happens(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &state.chance) < percent }
            if happens(mishaps.refusals) {
                return .failure(Failure(.unreachable, "connection refused", isRetryable: true))
            }
            if happens(mishaps.errors) { return .status(503) }
            let number = state.entities[path, default: []].count
            var (isUntrue, tellsLength) = (false, true)
            if state.untruths[path] != nil {
                isUntrue = happens(mishaps.untruths)
                if isUntrue {
                    let count = Int.random(in: 1...2 * entity.bytes.count, using: &state.chance)
                    entity = OriginEntity(OriginEntity.pattern(count, seed: state.chance.next()), entityTag: nil)
                    tellsLength = happens(50)
                    state.untruths[path]?.append(entity.bytes)
                }
            } else if happens(mishaps.changes), number < Self.changesMax {
                let tag = entity.entityTag.map { _ in "\"v\(number + 1)\"" }
                let count = max(1, entity.bytes.count / 2 + number)
                entity.bytes = OriginEntity.pattern(count, seed: state.chance.next())
                entity.entityTag = tag
                state.entities[path, default: []].append(entity)
            }
            let cut = happens(mishaps.cuts) ? Double.random(in: 0..<1, using: &state.chance) : nil
            return .answer(
                entity, isWhole: happens(mishaps.wholeAnswers) || isUntrue, tellsLength: tellsLength, cut: cut,
                chunkBytes: Int.random(in: 256...9000, using: &state.chance))
        }
    }
}
