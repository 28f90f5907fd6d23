package import LedgerAPI
import LedgerEngine
package import LedgerHolder
import LedgerModel
package import LedgerSystem

/// aria2's JSON-RPC and XML-RPC over a ledger: a call is decoded, done by the ledger, and its answer is encoded as
/// aria2 does.
///
/// It knows no wire: whoever serves it hands over bodies, queries and frames.
package struct Aria2Endpoint: Sendable {
    /// The version of aria2 that is spoken, and told: there are clients that ask for one they know before all else.
    package static let spokenVersion = "1.36.0"

    /// What surrounds it.
    package struct Configuration: Sendable {
        /// Where files go when a client names no directory; absolute.
        package var directory: String
        /// What a secret allows that came from an address; nil is answered `Unauthorized`.
        package var authorize: @Sendable (_ secret: String?, _ address: String) async -> AccessScope?
        /// Confines a destination (aria2's `dir` and `out`) to where files of clients may go.
        package typealias Confine =
            @Sendable (_ directory: String?, _ output: String?) async throws(Problem) -> (
                directory: String, name: String?
            )

        /// Confines destinations.
        package var confine: Confine
        /// Ends the program. `shutdown` and `forceShutdown` are the same here: what aria2 leaves out when it is forced
        /// is its farewell to trackers, and there are none.
        package var shutdown: @Sendable () -> Void
        /// What the program adds to each request of a client: a proxy of its own, and whether private networks may be
        /// reached and links followed. As long as nobody says otherwise they may not: clients could make this machine
        /// ask what only it can reach, and write where they may not.
        package var prepare: @Sendable (inout EnqueueRequest) -> Void = {
            $0.refusesPrivateAddresses = true
            $0.refusesLinks = true
        }
        /// What the global options say of the server, where it is not what aria2 does by itself: `rpc-listen-port`,
        /// `rpc-secure`.
        package var reported: [String: String] = [:]
        /// The longest answer to a request, in bytes. What is left out for it says so.
        package var answerBytesMax = 64 << 20

        /// What there has to be.
        package init(
            directory: String,
            authorize: @escaping @Sendable (_ secret: String?, _ address: String) async -> AccessScope?,
            confine: @escaping Confine, shutdown: @escaping @Sendable () -> Void
        ) {
            self.directory = directory
            self.authorize = authorize
            self.confine = confine
            self.shutdown = shutdown
        }
    }

    let service: LedgerService
    let client: any LedgerClient
    let configuration: Configuration
    let memory: Memory
    let stopped: Follower<StoppedList>
    let chosen: Follower<ChosenGIDs>
    let herald: Herald
    let scheme: GIDScheme
    /// aria2's name of one run of the program.
    let session: String

    /// An endpoint over a ledger.
    /// - Parameters:
    ///   - service: the ledger, for looks.
    ///   - client: the same, for commands: as whom they are recorded is its business.
    package init(service: LedgerService, client: any LedgerClient, configuration: Configuration) {
        self.service = service
        self.client = client
        self.configuration = configuration
        let world = service.ledger.world
        scheme = GIDScheme(identity: service.ledger.identity)
        session = String(
            [world.random(), world.random(), world.random()].map { GID($0).description }.joined().prefix(40))
        memory = Memory()
        stopped = Follower(service, StoppedList())
        chosen = Follower(service, ChosenGIDs())
        herald = Herald(service, scheme)
    }

    /// Notifications for one client over a WebSocket, a frame each, from now on. A client that takes none of a
    /// thousand is let go.
    package func notifications() -> AsyncStream<[UInt8]> { herald.listen() }

    /// What time it is.
    package var clock: any LedgerClock { service.ledger.world.clock }

    /// The name of a new command.
    var newCommand: CommandID {
        let random = service.ledger.world.random
        return CommandID(high: random(), low: random())
    }
}
