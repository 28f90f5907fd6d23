import LedgerSystem
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// One layer of the proof: numbered cases, each of which stands alone.
///
/// `swift test` takes a slice of them. With `LEDGER_PROOF=1` all are taken, with a line of progress now and then, and
/// with `LEDGER_PROOF_CASE=LAYER:NUMBER` that one alone. Where `LEDGER_PROOF_TALLY` names a file, a line goes there for
/// each layer: its name, how many states were looked at, how many breaches there were, and the milliseconds it took.
package struct Proof: Sendable {
    /// What looking at one case came to.
    package struct Outcome: Sendable {
        /// How many states, faults or damages were looked at.
        package var states: Int
        /// What must not be.
        package var breaches: [String]

        /// An outcome of these parts.
        package init(states: Int = 1, breaches: [String] = []) {
            self.states = states
            self.breaches = breaches
        }
    }

    /// After so many breaches no more cases are begun.
    private static let breachesMax = 10
    private static let threads = 2
    private static let progressEvery = Duration.seconds(10)

    private struct State {
        var states = 0
        var cases = 0
        var breaches: [String] = []
        var nextProgress: Duration
    }

    private let layer: String
    private let cases: Int
    private let slice: Int

    /// The layer by its name in the proof's table, with so many cases; a slice is one in `slice` of them.
    package init(_ layer: String, cases: Int, slice: Int) {
        self.layer = layer
        self.cases = cases
        self.slice = slice
    }

    /// Takes the cases, several at a time, on threads of their own: other tests need those of the pool.
    /// - Returns: what must not be, each with what reproduces it.
    package func run(_ body: @escaping @Sendable (Int) -> Outcome) async -> [String] {
        await BlockingPool(threads: 1).run { take(body) }
    }

    /// Does what takes long on a thread of its own: other tests need those of the pool.
    package static func aside<Value: Sendable>(
        _ body: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        try await BlockingPool(threads: 1).run(body)
    }

    private func take(_ body: @escaping @Sendable (Int) -> Outcome) -> [String] {
        let clock = SystemClock()
        let start = clock.uptime()
        let chosen = chosen
        let shared = Shared(nextProgress: start + Self.progressEvery)
        _ = ParallelWork.map(chosen, threads: Self.threads) { [layer] number in
            guard shared.state.withLock({ $0.breaches.count < Self.breachesMax }) else { return }
            let outcome = body(number)
            let isDue = shared.state.withLock { state in
                state.states += outcome.states
                state.cases += 1
                state.breaches += outcome.breaches.map { "LEDGER_PROOF_CASE=\(layer):\(number) \($0)" }
                guard Sweep.isWhole, clock.uptime() >= state.nextProgress else { return false }
                state.nextProgress = clock.uptime() + Self.progressEvery
                return true
            }
            if isDue {
                let (done, states) = shared.state.withLock { ($0.cases, $0.states) }
                Self.say("\(layer): \(done) of \(chosen.count) cases, \(states) states")
            }
        }
        let (states, breaches) = shared.state.withLock { ($0.states, $0.breaches) }
        let milliseconds = (clock.uptime() - start).milliseconds
        Self.tally("\(layer) \(states) \(breaches.count) \(milliseconds)")
        return breaches
    }

    private final class Shared: Sendable {
        let state: Mutex<State>

        init(nextProgress: Duration) { state = Mutex(State(nextProgress: nextProgress)) }
    }

    private var chosen: [Int] {
        guard let wanted = CurrentProcess.environment("LEDGER_PROOF_CASE") else {
            return Sweep.numbers(0, cases - 1, slice: slice)
        }
        let parts = wanted.split(separator: ":").map { String($0) }
        guard parts.count == 2, let number = Int(parts[1]), number >= 0 else {
            preconditionFailure("LEDGER_PROOF_CASE is to be LAYER:NUMBER, and is '\(wanted)'")
        }
        guard parts[0] == layer else { return [] }
        precondition(number < cases, "\(layer) has \(cases) cases, and '\(wanted)' is none of them")
        return [number]
    }

    private static func say(_ line: String) { _ = (line + "\n").withCString { write(2, $0, strlen($0)) } }

    /// Adds a line to the file that `LEDGER_PROOF_TALLY` names, if it does.
    package static func tally(_ line: String) {
        guard let path = CurrentProcess.environment("LEDGER_PROOF_TALLY") else { return }
        let file = open(path, O_WRONLY | O_CREAT | O_APPEND, 0o644)
        precondition(file >= 0, "the tally '\(path)' can not be written")
        defer { close(file) }
        let text = line + "\n"
        let count = text.withCString { write(file, $0, strlen($0)) }
        precondition(count == text.utf8.count, "the tally '\(path)' is full")
    }
}

extension Duration {
    fileprivate var milliseconds: Int64 { components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000 }
}
