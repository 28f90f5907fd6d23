import LedgerCoding
import LedgerModel
import LedgerTestSupport
import Testing

/// Walks through the model at random: commands that are refused change nothing, the others are folded.
struct RandomWalk {
    private(set) var state = LedgerState()
    private(set) var kinds: Set<Event.Kind> = []
    private var generator: SplitMix64
    private var now = Timestamp(milliseconds: 1_772_446_272_000)

    init(seed: UInt64) { generator = SplitMix64(seed: seed) }

    mutating func walk(commands: Int) {
        for _ in 0..<commands {
            now = now.advanced(by: .milliseconds(Int64.random(in: 0...50_000, using: &generator)))
            let command = randomCommand()
            let name = Bool.random(using: &generator) ? CommandID(using: &generator) : nil
            let decision = Result { () throws(Rejection) in try state.queue.decide(command, at: now) }
            guard case .success(let decision) = decision else { continue }
            for proposed in decision.events {
                kinds.insert(proposed.event.kind)
                state.apply(Recorded(proposed, as: state.sequence.next, at: now, command: name, actor: .cli))
            }
        }
    }

    private mutating func randomCommand() -> Command {
        let order = randomOrder()
        guard
            let download = state.queue.downloads
                .randomElement(using: &generator)
        else { return .enqueue(order, priority: 0, again: false) }
        let (id, lease) = (download.id, download.lease)
        switch Int.random(in: 0..<25, using: &generator) {
        case 0, 1: return .enqueue(order, priority: Int32.random(in: -1...1, using: &generator), again: true)
        case 2: return .pause(id)
        case 3: return .resume(id)
        case 4: return .cancel(id)
        case 5, 6: return .retry(id)
        case 7: return .move(id, .index(Int.random(in: 1...5, using: &generator)))
        case 8: return .move(id, .priority(Int32.random(in: -2...2, using: &generator)))
        case 9:
            var change = OrderChange()
            change.source = OrderChange.Source(url: order.url)
            change.window = order.options.value.window.map { .set($0) }
            return .change(id, change)
        case 10: return .delete(id, .trash(path: "/home/trash/\(id)"))
        case 11, 12: return .undo(nil)
        case 13: return .report(lease, [.resolved(Samples.origin(.entityTag("\"v\""), length: 100), generation: 1)])
        case 14, 15:
            let ranges = ByteRangeSet([0..<10, 20..<UInt64(id.rawValue % 60 + 21)])
            return .report(lease, [.progressed(ranges, sums: id.rawValue % 2 == 0 ? [] : [1, .max])])
        case 16: return .report(lease, [.verified(length: 100, sha256: Samples.sha256, path: "/f/\(id)")])
        case 17, 18: return .report(lease, [.completed(FileIdentity(length: 100, modifiedNanoseconds: 5, inode: 9))])
        case 19:
            var failure = Failure(.status, "503", isRetryable: true, status: 503)
            failure.poisonsPart = id.rawValue % 2 == 0
            failure.isExcused = id.rawValue % 3 == 0
            return .report(lease, [.failed(failure, retryAt: Bool.random(using: &generator) ? now : nil)])
        case 20: return .observe(id, .missing)
        case 21, 22: return .refresh(download.order, priority: 0)
        case 23: return .report(lease, [.unchanged])
        default:
            return .observe(
                id, .altered(FileIdentity(length: 3, modifiedNanoseconds: 6, inode: 9), sha256: nil))
        }
    }

    private mutating func randomOrder() -> Order {
        let number = Int.random(in: 0..<1000, using: &generator)
        var order = Samples.orders[number % Samples.orders.count]
        order.url = ResourceURL(recorded: "https://host-\(number % 7).example/file-\(number)")
        return order
    }
}

struct StateCodingTests {
    static let seeds: [UInt64] = [1, 2, 3, 4]

    @Test(arguments: seeds)
    func `a state comes back equal, gives the same bytes, and goes on as the original would`(_ seed: UInt64) throws {
        var walk = RandomWalk(seed: seed)
        walk.walk(commands: 1000)
        let bytes = StateCoding.encode(walk.state)
        var decoded = try StateCoding.decode(bytes[...])
        #expect(decoded == walk.state)
        #expect(StateCoding.encode(decoded) == bytes)
        #expect(walk.kinds.count >= 12, "the walk meets most kinds of events")

        let next = Recorded(
            Decision.Proposed(nil, .enqueued(Samples.orders[1], priority: 0, rank: 5)), as: decoded.sequence.next,
            at: .epoch, command: nil, actor: .cli)
        var original = walk.state
        original.apply(next)
        decoded.apply(next)
        #expect(decoded == original)
        #expect(StateCoding.encode(decoded) == StateCoding.encode(original))
    }

    @Test func `the state before the first event comes back`() throws {
        let bytes = StateCoding.encode(LedgerState())
        #expect(try StateCoding.decode(bytes[...]) == LedgerState())
    }

    @Test(arguments: [4095, 4096, 4097, 8192])
    func `a long queue comes back, whatever ends with its parts`(count: Int) throws {
        var state = LedgerState()
        for number in 1...count {
            let event = Event.enqueued(Samples.orders[number % 3], priority: 0, rank: Rank(number))
            state.apply(
                Recorded(
                    Decision.Proposed(nil, event), as: state.sequence.next, at: .epoch, command: nil, actor: .cli))
        }
        let bytes = StateCoding.encode(state)
        #expect(try StateCoding.decode(bytes[...]) == state)
        // The first download once more, behind all others: in a part of its own, or at the end of one.
        let first = StateCoding.encode(try #require(state.queue.downloads.first))
        let last = StateCoding.encode(try #require(state.queue.downloads.last))
        let firstRange = try #require(bytes.firstRange(of: first))
        let end = try #require(bytes.firstRange(of: last)).upperBound
        // Before its bytes stand the field's number and their length.
        let field = bytes[(firstRange.lowerBound - (first.count < 128 ? 2 : 3))..<firstRange.upperBound]
        let forged = Array(bytes[..<end]) + field + bytes[end...]
        let error = #expect(throws: CodingError.self) { try StateCoding.decode(forged[...]) }
        #expect(error?.problem == .badValue(field: 5))
    }

    @Test(arguments: [[], [Event.rechecked]])
    func `files that are longer together than any disk are refused, also those that stand meanwhile`(
        then last: [Event]
    ) {
        var state = LedgerState()
        for id in [DownloadID(1), 2, 3] {
            state.apply(Fact.enqueued(Fixture.order("\(id)"), rank: Fixture.rank(1)).recorded(after: state.sequence))
        }
        for id in [DownloadID(1), 2, 3] {
            let length = UInt64(Int64.max)
            let whole = Event.verified(length: length, sha256: Fixture.digest(), path: "/data/\(id)")
            for event in [whole, .completed(Fixture.identity(length: length))] + last {
                state.apply(Fact.about(id, event).recorded(after: state.sequence))
            }
        }
        let bytes = StateCoding.encode(state)
        let error = #expect(throws: CodingError.self) { try StateCoding.decode(bytes[...]) }
        #expect(error?.problem == .badValue(field: 5))
    }

    @Test func `a state of another version of the fold is refused, a newer one with the advice to update`() {
        var bytes = StateCoding.encode(LedgerState())
        bytes[1] += 1
        let error = #expect(throws: CodingError.self) { try StateCoding.decode(bytes[...]) }
        #expect(error?.problem == .otherProjection(known: LedgerState.version, found: LedgerState.version + 1))
        #expect(error?.needsUpdate == true)
    }

    @Test func `every cut of a state is refused`() {
        var walk = RandomWalk(seed: 5)
        walk.walk(commands: 40)
        let bytes = StateCoding.encode(walk.state)
        for count in bytes.indices {
            #expect(throws: CodingError.self, "\(count)") { try StateCoding.decode(bytes[..<count]) }
        }
    }

    @Test func `mutated states are read or refused, and what is read can be written again`() throws {
        var walk = RandomWalk(seed: 6)
        walk.walk(commands: 40)
        let bytes = StateCoding.encode(walk.state)
        var generator = SplitMix64(seed: 7)
        var refused = 0
        for number in 0..<1000 {
            let mutated = bytes.mutated(using: &generator)
            switch Result(catching: { () throws(CodingError) in try StateCoding.decode(mutated[...]) }) {
            case .success(let state):
                #expect(try StateCoding.decode(StateCoding.encode(state)[...]) == state, "number \(number)")
            case .failure: refused += 1
            }
        }
        #expect(refused > 400)
    }
}
