import LedgerModel
import LedgerTestSupport
import Testing

/// The ten phases, and how download 1 comes into each.
enum PhaseCase: String, CaseIterable {
    case queued, waiting, paused, publishing, completed, missing, altered, failed, cancelled, deleted

    static let verified: [Event] = [
        .resolved(Fixture.origin(), generation: 1),
        .verified(length: 1000, sha256: Fixture.digest(), path: "/data/file.iso"),
    ]
    static let finished: [Event] = verified + [.completed(Fixture.identity())]

    var events: [Event] {
        switch self {
        case .queued: []
        case .waiting: [.failed(Fixture.lost, retryAt: Fixture.now.advanced(by: .seconds(5)))]
        case .paused: [.paused]
        case .publishing: Self.verified
        case .completed: Self.finished
        case .missing: Self.finished + [.missing]
        case .altered: Self.finished + [.altered(Fixture.identity(inode: 2), sha256: Fixture.digest(8))]
        case .failed: [.failed(Fixture.lost, retryAt: nil)]
        case .cancelled: [.cancelled]
        case .deleted: [.deleted(.keepFile)]
        }
    }

    var queue: Queue {
        var queue = Queue()
        let facts = [Fact.enqueued(Fixture.order(), rank: Fixture.rank(1))] + events.map { .about(1, $0) }
        for fact in facts { queue.apply(fact.recorded(after: queue.sequence)) }
        return queue
    }
}

/// What a command comes to in each phase, in the order of ``PhaseCase``.
struct PhaseRow: CustomTestStringConvertible {
    let command: Command
    let expected: [Result<Decision, Rejection>]
    let location: SourceLocation

    init(_ command: Command, _ expected: Result<Decision, Rejection>..., location: SourceLocation = #_sourceLocation) {
        self.command = command
        // A single outcome stands for all phases.
        self.expected =
            expected.count == 1 ? PhaseCase.allCases.map { _ in expected[0] } : expected
        self.location = location
    }

    var testDescription: String { String(describing: command) }

    func check() {
        #expect(expected.count == PhaseCase.allCases.count, sourceLocation: location)
        for (phase, outcome) in zip(PhaseCase.allCases, expected) {
            let result: Result<Decision, Rejection>
            do throws(Rejection) {
                result = .success(try phase.queue.decide(command, at: Fixture.now))
            } catch { result = .failure(error) }
            #expect(result == outcome, "in phase \(phase)", sourceLocation: location)
        }
    }
}

/// Download 1 gets these events.
func does(_ events: Event...) -> Result<Decision, Rejection> {
    .success(Decision(events.map { .init(1, $0) }))
}

/// The command joins download 1, which gets these events.
func joins(_ events: Event...) -> Result<Decision, Rejection> {
    .success(Decision(events.map { .init(1, $0) }, joined: 1))
}

/// The event is not about a download that exists.
func adds(_ event: Event) -> Result<Decision, Rejection> { .success(Decision([.init(nil, event)])) }

/// Refused.
func no(_ rejection: Rejection) -> Result<Decision, Rejection> { .failure(rejection) }
