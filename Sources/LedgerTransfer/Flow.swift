import LedgerModel
import LedgerSystem
import Synchronization

/// What the strands of one fetch share: what became of the leading request, who fetches which bytes, and who is to be
/// woken.
final class Flow: Sendable {
    /// What `receive` made of the head of the leading answer.
    enum Reception: Sendable {
        case none
        case left(WorkerStateMachine.Action)
        case ended(Attempt.Ending)
        case streaming(Claim)
    }

    private let state = Mutex(State())
    /// Raised when bytes are there to be hashed, and when nothing more comes.
    private let hashing = Wakeup()
    /// Raised when a stream began or ended, about once a second, and when nothing more comes.
    private let steering = Wakeup()

    private struct State {
        var reception = Reception.none
        var board: RangeBoard?
        var latency = Duration.zero
        var isOver = false
    }

    /// What became of the leading request.
    var reception: Reception { state.withLock { $0.reception } }

    /// Whether a body comes of which there is more to come.
    var isReceiving: Bool {
        if case .streaming(let claim) = reception { return !claim.isFull }
        return false
    }

    /// Who fetches what; nil while that can not be shared.
    var board: RangeBoard? { state.withLock { $0.board } }

    /// How long after it was asked for the leading answer came, with all that its connection took.
    var latency: Duration { state.withLock { $0.latency } }

    /// The leading request is over without a body, or for good.
    func settle(_ reception: Reception) { state.withLock { $0.reception = reception } }

    /// The body of the leading answer comes, so long after it was asked for; others may help when there is a board.
    func stream(_ claim: Claim, on board: RangeBoard?, after latency: Duration) {
        board?.add(claim)
        state.withLock { state in
            state.reception = .streaming(claim)
            state.board = board
            state.latency = latency
        }
        steer()
    }

    /// Which sources gave bytes of a range, among the streams that run.
    func givers(of range: Range<UInt64>) -> Set<Int> {
        Set(claims.filter { $0.start < range.upperBound && range.lowerBound < $0.position }.map(\.source))
    }

    /// Which bytes the streams that run gave.
    var given: [(bytes: Range<UInt64>, source: Int)] { claims.map { ($0.start..<$0.position, $0.source) } }

    /// Ends the streams of a source.
    func stop(_ source: Int) {
        for claim in claims where claim.source == source { _ = claim.shorten(to: claim.position) }
        board?.forget(source)
    }

    private var claims: [Claim] {
        state.withLock { state in
            if let board = state.board { return board.all }
            if case .streaming(let claim) = state.reception { return [claim] }
            return []
        }
    }

    /// Wakes whoever hashes.
    func wakeHashing() { hashing.raise() }

    /// Waits until bytes are there to be hashed; false when nothing more comes.
    func awaitHashing() async -> Bool {
        await hashing.wait()
        return state.withLock { !$0.isOver }
    }

    /// Wakes whoever opens streams.
    func steer() { steering.raise() }

    /// Waits until somebody is to look whether to open streams.
    func awaitSteering() async { await steering.wait() }

    /// Nothing more comes.
    func finish() {
        state.withLock { $0.isOver = true }
        hashing.raise()
        steering.raise()
    }
}
