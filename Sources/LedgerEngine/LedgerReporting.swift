package import LedgerAPI
import LedgerLog
import LedgerModel
package import LedgerSystem
package import LedgerTransfer
import Synchronization
package import SystemPackage

/// Takes the reports of workers to the ledger.
package final class LedgerReporting: WorkerReporting {
    private let ledger: Ledger
    private let notice: @Sendable (Problem) -> Void
    private let isFull = Mutex(false)

    /// Reports to this ledger; `notice` is told once when its disk is full: the pool tries again until it is not.
    package init(ledger: Ledger, notice: @escaping @Sendable (Problem) -> Void) {
        self.ledger = ledger
        self.notice = notice
    }

    package func report(_ batch: [WorkerReport]) async -> [WorkerStop?] {
        let submissions = batch.map { Submission(.report($0.lease, $0.reports), id: nil, actor: .worker) }
        do throws(LedgerError) {
            let outcomes = try await ledger.execute(submissions)
            isFull.withLock { $0 = false }
            // Left as it is, it would be tried again for ever.
            let failures = zip(batch, outcomes).compactMap { report, outcome -> Submission? in
                guard case .refused(.unrecordable(let cause)) = outcome else { return nil }
                let failure = Failure(
                    .protocolViolation, "what the origin said can not be recorded: \(cause)", isRetryable: false)
                return Submission(.report(report.lease, [.failed(failure, retryAt: nil)]), id: nil, actor: .worker)
            }
            if !failures.isEmpty { _ = try await ledger.execute(failures) }
            return outcomes.map { outcome in
                switch outcome {
                case .recorded, .joined, .repeated: nil
                case .refused(.destinationTaken): .pathTaken
                case .refused: .stale
                }
            }
        } catch {
            if error.isNoRoom {
                let wasFull = isFull.withLock { isFull in
                    defer { isFull = true }
                    return isFull
                }
                if !wasFull { notice(.unrecorded(error, in: ledger.home)) }
            }
            return batch.map { _ in .closed }
        }
    }

    package func holds(_ standing: FileStatus, at path: FilePath) async -> Bool {
        do throws(LedgerError) {
            return try await ledger.read { state in
                guard let owner = state.owner(of: path.string).flatMap({ state.queue[$0] }), owner.hasWholeFile
                else { return false }
                return standing.isSame(as: owner.shownFile?.identity)
            }
        } catch {
            // A ledger that is closed records no failure either: the next start asks again.
            return false
        }
    }
}

extension Problem {
    /// A worker's report that there is no room for; nobody asked for anything, so there is nothing to repeat.
    fileprivate static func unrecorded(_ error: LedgerError, in home: LedgerHome) -> Problem {
        var problem = Problem(error)
        problem.message = "there is no room to record what was received: until there is, nothing more is fetched"
        problem.next = "make room on the disk of '\(home.path)': what came stays in its files, and it goes on by itself"
        return problem
    }
}
