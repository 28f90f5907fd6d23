import LedgerAPI
import LedgerEngine

/// When checkpoints are written, and where.
struct CheckpointSchedule: Hashable, Sendable {
    /// The directory, absolute.
    let directory: String
    /// How long between two.
    let period: Duration

    /// How long between two unless told otherwise.
    static let periodDefault = Duration.seconds(3600)
}

/// Checkpoints that are written beside the work.
struct CheckpointKeeping: Sendable {
    private let keeper: CheckpointKeeper
    private let report: @Sendable (Problem) -> Void
    private let task: Task<Void, Never>

    /// Begins to write one each `period`; `report` is told of each that could not be written.
    init(_ keeper: CheckpointKeeper, every period: Duration, report: @escaping @Sendable (Problem) -> Void) {
        self.keeper = keeper
        self.report = report
        task = Task { await keeper.run(every: period, report: report) }
    }

    /// Writes the last one, and no more.
    func end() async {
        task.cancel()
        await task.value
        do throws(LedgerError) { try await keeper.write() } catch { report(Problem(error)) }
    }
}
