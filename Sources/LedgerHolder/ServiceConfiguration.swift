package import LedgerAPI
package import LedgerEngine
import LedgerHTTP
package import LedgerModel
package import LedgerSystem
package import LedgerTransfer

/// How a ledger is held: what may run at once and how it fetches.
package struct ServiceConfiguration: Sendable {
    /// Downloads at once, in total and for each host, and the length of the queue.
    package var limits = Limits()
    /// The highest rate of all downloads together in bytes a second; nil for no limit.
    package var bytesPerSecondMax: UInt64?
    /// What holds for every transfer unless its order says otherwise.
    package var transfer = TransferSettings()
    /// What holds for what is ordered for others, feeds and clients of the API, where they say nothing.
    package var own = OwnDefaults()
    /// Makes what bytes arrive by. Called once by each service, which shuts it down when it closes.
    package var transport: @Sendable () -> any Transport = { HTTPTransport() }
    /// What the trash may hold.
    package var trash = TrashLimits()
    /// Counts the bytes of a compaction, redaction or look at the files that is asked for; nil when nobody looks on.
    package var maintenanceProgress: WorkProgress?
    /// When it compacts itself while ``LedgerService/run(untilIdle:)`` runs.
    package var compaction = CompactionSchedule()
    /// Says why nothing is to be downloaded now, if so; asked whenever something may begin, and once a minute.
    package var mayRun: @Sendable () -> NotNow? = { nil }
    /// Who is told of events while ``LedgerService/run(untilIdle:)`` runs.
    package var hooks: [HookTarget] = []
    /// Whether the ledger's socket is served, so that other commands work beside this process.
    package var servesSocket = true
    /// Who asks, as events record it.
    package var actor = EventActor.cli
    /// The version of the program, as the socket tells it.
    package var programVersion = "0"
    /// Begins to leave the ledger, because another process asks for it; nil for a holder that does not. Must not wait.
    package var leave: (@Sendable () -> Void)?
    /// Whether it leaves for anyone who means to hold the ledger for long, and not for a successor alone, as soon as
    /// nothing begins anew thereby.
    package var givesWay = false

    /// Told of what goes wrong beside what anyone asked for: files that the disk keeps from following the ledger.
    package var notice: @Sendable (Problem) -> Void = { _ in }

    /// The usual configuration.
    package init() {}
}
