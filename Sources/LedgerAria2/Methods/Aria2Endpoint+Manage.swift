import LedgerAPI
import LedgerEngine
import LedgerHolder
import LedgerModel
import LedgerSystem

extension Aria2Endpoint {
    /// How long the program goes on after it was told to end: the answer is to arrive.
    static let shutdownPause = Duration.seconds(3)

    /// What aria2 calls the parts of it that there are here.
    private static let features = ["GZip", "HTTPS", "Message Digest", "Metalink", "XML-RPC"]

    /// The methods that are about the program.
    func manage(_ method: Method) async throws(Fault) -> WireValue {
        switch method {
        case .getVersion:
            return .object(of: [
                ("enabledFeatures", .list(Self.features.map { .text($0) })), ("version", .text(Self.spokenVersion)),
            ])
        case .getSessionInfo: return .object(of: [("sessionId", .text(session))])
        case .getGlobalStat: return try await globalStatistics()
        case .shutdown, .forceShutdown: end()
        default:
            // saveSession: all of it was durable before anyone was told of it.
            break
        }
        return .ok
    }

    private func globalStatistics() async throws(Fault) -> WireValue {
        let running = service.running
        let (results, total, live, active) = try await asked { () throws(Problem) in
            try await stopped.look { ($0.count, $0.total, $1.queue.liveCount, $1.queue.active(running).count) }
        }
        return .object(of: [
            ("downloadSpeed", .count(service.bytesPerSecond)), ("numActive", .count(active)),
            ("numStopped", .count(min(results, memory.resultsMax))), ("numStoppedTotal", .count(total)),
            ("numWaiting", .count(live - active)), ("uploadSpeed", .text("0")),
        ])
    }

    private func end() {
        let (clock, shutdown) = (service.ledger.world.clock, configuration.shutdown)
        Task {
            do { try await clock.sleep(until: clock.uptime() + Self.shutdownPause) } catch {
                // Nobody cancels it; if someone did, the program would end all the same.
            }
            shutdown()
        }
    }
}
