import LedgerAPI
import LedgerCoding
import LedgerEngine
import LedgerHolder
import LedgerModel
import LedgerSystem

/// What every route stands on.
struct Backend: Sendable {
    /// The ledger, for looks.
    let service: LedgerService
    /// The ledger, for commands: they are recorded as the API's.
    let client: any LedgerClient
    /// How the API is served.
    let configuration: ServerConfiguration
    /// Where files of API clients may go.
    let roots: DestinationRoots
    /// When the server was started.
    let startedAt: Timestamp
    /// Makes rows.
    let rows = RowView()
    /// Where looks at the log are made: clients that ask for many wait for each other, and no download for any of them.
    let looks = BlockingPool(threads: 2)

    /// What time it is.
    var clock: any LedgerClock { service.ledger.world.clock }

    /// What the server adds to requests.
    var surroundings: EnqueueForm.Surroundings {
        EnqueueForm.Surroundings(
            roots: roots, allowsPrivateAddresses: configuration.allowsPrivateAddresses,
            own: service.own, now: clock.now())
    }

    /// Does something to one download.
    /// - Throws: the ``Problem`` it was refused with.
    func act(_ action: Action, on id: DownloadID, _ command: CommandID) async throws(Problem) {
        let answers = try await client.act(action, on: .ids([id]), command: command)
        if let refusal = answers.first?.refusal { throw refusal }
    }

    /// The state at a point of the log.
    func state(at point: LogPoint) async throws(Problem) -> LedgerState {
        try await look { home, world, isStopped throws(LedgerError) in
            try LedgerReading(home: home, world: world, isStopped: isStopped).state(at: point)
        }
    }

    /// Whether nobody waits for a look any more.
    typealias IsStopped = @Sendable () -> Bool

    /// Looks at the log beside the ledger's own thread. A server that stops does not wait for it: the look is told, and
    /// ends with ``LedgerError/closed``. That a client hung up is not seen before it is answered.
    func look<Value: Sendable>(
        _ body: @escaping @Sendable (LedgerHome, World, @escaping IsStopped) throws(LedgerError) -> Value
    ) async throws(Problem) -> Value {
        let (home, world) = (service.ledger.home, service.ledger.world)
        do throws(LedgerError) {
            return try await looks.run { isStopped throws(LedgerError) in try body(home, world, isStopped) }
        } catch { throw Problem(error) }
    }
}
