import LedgerModel
package import LedgerTransfer

/// Takes the reports of workers to the ledger.
package struct LedgerReporting: WorkerReporting {
    private let ledger: Ledger

    /// Reports to this ledger.
    package init(ledger: Ledger) { self.ledger = ledger }

    package func report(_ batch: [WorkerReport]) async -> [WorkerStop?] {
        let submissions = batch.map { Submission(.report($0.lease, $0.reports), id: nil, actor: .worker) }
        do throws(LedgerError) {
            return try await ledger.execute(submissions).map { outcome in
                switch outcome {
                case .recorded, .joined, .repeated: nil
                case .refused(.destinationTaken): .pathTaken
                case .refused: .stale
                }
            }
        } catch {
            return batch.map { _ in .closed }
        }
    }
}
