package import LedgerModel
package import LedgerSystem
package import SystemPackage

/// What a worker saw, under its lease. The reports of one value are recorded all together or not at all.
package struct WorkerReport: Hashable, Sendable {
    /// The right under which it was seen.
    package let lease: Lease
    /// What was seen, in order.
    package let reports: [Report]

    /// Reports under a lease.
    package init(_ lease: Lease, _ reports: [Report]) {
        self.lease = lease
        self.reports = reports
    }
}

/// Why a report was not recorded.
package enum WorkerStop: Error, Hashable, Sendable {
    /// The lease has passed, or the report does not fit any more: the worker stops silently and leaves everything.
    case stale
    /// Another live download will stand under the path of a `verified`: the next name is tried.
    case pathTaken
    /// The ledger is closed or its log failed.
    case closed
}

/// Where reports go: the engine, or a list in a test.
package protocol WorkerReporting: Sendable {
    /// Records reports in one batch, and returns once they are durable.
    /// - Returns: for each element, in order, nil when it was recorded, or why it was not. Others are recorded all the
    /// same.
    func report(_ batch: [WorkerReport]) async -> [WorkerStop?]

    /// Whether what stands at an absolute path is a finished file of the ledger, whole as far as was seen. What is not
    /// known is none.
    func holds(_ standing: FileStatus, at path: FilePath) async -> Bool
}

extension WorkerReporting {
    /// Records the reports of one worker, together.
    func report(_ lease: Lease, _ reports: [Report]) async throws(WorkerStop) {
        if let stop = await report([WorkerReport(lease, reports)]).first ?? .closed { throw stop }
    }
}

/// How a worker's run ended.
package enum WorkerEnd: Hashable, Sendable {
    /// The file stands under its final name; `completed` (or `found`) is recorded.
    case completed(path: String)
    /// The attempt ended; `failed` is recorded.
    case failed(Failure, retryAt: Timestamp?)
    /// The lease has passed, the task was cancelled or the ledger closed. What is durable was reported if it could be.
    case stopped
}
