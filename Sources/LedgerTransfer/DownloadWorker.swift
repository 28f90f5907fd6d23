import LedgerModel
package import LedgerSystem

/// One attempt at one download, under a lease: asks, judges, streams, syncs, reports, publishes.
///
/// The shell round ``WorkerStateMachine``: the machine decides, this obeys. A value: any number of runs share it.
package struct DownloadWorker: Sendable {
    /// How bytes arrive.
    package let transport: any Transport
    /// The disk.
    package let fileSystem: any FileSystem
    /// Time.
    package let clock: any LedgerClock
    /// The threads for calls that block.
    package let blocking: BlockingPool
    /// Where whole parts go.
    package let publication: Publication
    /// Where reports go.
    package let reporting: any WorkerReporting
    /// The limit that all transfers share.
    package let limiter: RateLimiter
    /// What holds unless an order says otherwise.
    package let settings: TransferSettings
    /// Draws a number from 0 up to but not including 1, for the jitter of a retry.
    package let jitter: @Sendable () -> Double
    /// Where files went before: those directories survive a power cut.
    let directories = DurableDirectories()
    /// What its parts count on.
    let promises = PromisedRoom()
    /// What earlier downloads found out.
    let origins = KnownOrigins()
    /// Which downloads hardly get on.
    let crawling = CrawlingDownloads()
    /// Which places asked to be left alone.
    let resting = RestingPlaces()

    /// A worker of these parts.
    package init(
        transport: any Transport, fileSystem: any FileSystem, clock: any LedgerClock, blocking: BlockingPool,
        publication: Publication, reporting: any WorkerReporting, limiter: RateLimiter = RateLimiter(),
        settings: TransferSettings = TransferSettings(), jitter: @escaping @Sendable () -> Double
    ) {
        self.transport = transport
        self.fileSystem = fileSystem
        self.clock = clock
        self.blocking = blocking
        self.publication = publication
        self.reporting = reporting
        self.limiter = limiter
        self.settings = settings
        self.jitter = jitter
    }

    /// Works on a download until it is completed, fails, or is stopped by a passed lease or by cancelling the task; a
    /// cancelled run reports what is durable and leaves the part for the next.
    /// - Parameters:
    ///   - limits: the order's limits, where someone changes them meanwhile.
    ///   - whenReceived: called when all bytes are here, and nothing can have them come again, so that only our own
    ///     hash, syncs and a name are waited for: another may have the connection. Not called by every run.
    package func run(
        _ assignment: Assignment, live: LiveProgress, limits: RunningLimits? = nil,
        whenReceived: @escaping @Sendable () -> Void = {}
    ) async -> WorkerEnd {
        var known = assignment
        var failure: Failure?
        do throws(Failure) {
            if assignment.order.options.value.cookieFile != nil {
                known.cookies = try await blocking.run { [fileSystem, clock] () throws(Failure) in
                    try CookieFile.read(for: assignment.order, in: fileSystem, now: clock.now())
                }
            }
            known.order.expected = try await expectedDigest(of: known)
        } catch { failure = error }
        if failure != nil, Task.isCancelled { return .stopped }
        let attempt = Attempt(known, worker: self, live: live, limits: limits, whenReceived: whenReceived)
        let end = if let failure { await attempt.fail(failure) } else { await attempt.run() }
        attempt.close()
        return end
    }

    /// Finishes a publication that a crash cut short: the same renames, syncs and reports as for a part fresh from its
    /// transfer. Nothing is fetched.
    /// - Parameter assignment: with ``Assignment/verified`` set.
    package func finishPublication(of assignment: Assignment) async -> WorkerEnd {
        guard let verified = assignment.verified else { preconditionFailure("only what is verified is published") }
        return await Attempt(assignment, worker: self, live: LiveProgress()).finishPublication(verified)
    }
}
