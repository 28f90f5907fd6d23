import LedgerModel
package import LedgerSystem
import Synchronization

/// The catalogue of misbehaviours behind real sockets: `/CASE/TOKEN/NAME` asks for a case, `/_seen/CASE/TOKEN` tells
/// what it saw, `/_bytes/CASE/TOKEN` what is right, `/_certificate` whom to trust.
///
/// Which answer comes next is kept for each case and token, so that a fresh token is a fresh origin.
package final class CaseServer: Sendable {
    /// The most cases under tokens that are remembered; beyond it the answer is 503.
    package static let recordsMax = 10_000
    /// The most requests of one that are told.
    package static let requestsMax = 1000

    struct Record {
        var requests: [SeenRequest] = []
        var count = 0
        var connections: Set<Int> = []
        /// The connection that is answered, or was answered last.
        var holder: Int?
        /// Opened when it is asked for a second time.
        let company = OriginGate()
    }

    /// The listener where clients begin.
    package let main: OriginServer
    /// Where the listeners are.
    package let places: CaseExchange.Places

    private let others: [OriginServer]
    private let clock: any LedgerClock
    private let companyMillisecondsMax: Int64
    private let records = Mutex<[String: Record]>([:])

    private init(
        _ main: OriginServer, _ other: OriginServer, _ plain: OriginServer, clock: any LedgerClock,
        companyMillisecondsMax: Int64
    ) throws {
        self.main = main
        others = [other, plain]
        self.clock = clock
        self.companyMillisecondsMax = companyMillisecondsMax
        places = CaseExchange.Places(
            main: try main.url("").origin, named: try main.url("", host: "localhost").origin,
            other: try other.url("").origin, plain: try plain.url("").origin)
    }

    /// Starts the listeners, all on loopback: the first on a given port, or on a free one. Cases of several ranges at
    /// once wait so long for the second request.
    package static func start(
        port: Int = 0, isSecure: Bool = false, clock: any LedgerClock, companyMillisecondsMax: Int64 = 500
    ) async throws -> CaseServer {
        CaseFile.prepare()
        let main = try await OriginServer.start(port: port, isSecure: isSecure)
        let other = try await OriginServer.start(isSecure: isSecure)
        let plain = isSecure ? try await OriginServer.start() : other
        let server = try CaseServer(
            main, other, plain, clock: clock, companyMillisecondsMax: companyMillisecondsMax)
        for listener in [main] + server.others {
            listener.otherwise { [weak server] in server?.answer($0) ?? OriginReply(503) }
        }
        return server
    }

    /// Stops listening.
    package func stop() async throws { for listener in [main] + others { try await listener.stop() } }

    /// What was seen of a case under a token, by all listeners.
    package func seen(_ slug: String, _ token: String) -> SeenCase {
        let record = records.withLock { $0["/\(slug)/\(token)"] } ?? Record()
        return SeenCase(requests: record.requests, connections: record.connections.count)
    }

    /// Counts one request of a case under a token that nobody made, so that the next one gets the second answer.
    package func skipFirst(_ slug: String, _ token: String) {
        records.withLock { $0["/\(slug)/\(token)", default: Record()].count += 1 }
    }

    private func answer(_ request: OriginRequest) -> OriginReply {
        // Asked as a proxy for a tunnel: it leads back to here, whatever it was asked for.
        if request.method == "CONNECT" { return OriginReply(steps: [OriginReply.head(200, [])]) }
        let parts = request.path.split(separator: "/", maxSplits: 2, omittingEmptySubsequences: true).map(String.init)
        switch parts.first {
        case "_certificate":
            return OriginReply(
                200, [("Content-Type", "application/x-pem-file")], body: Array(OriginCertificate.certificate.utf8))
        case "_seen" where parts.count == 3: return json(seen(parts[1], parts[2]))
        case "_bytes" where parts.count == 3: return bytes(of: parts[1], isFirst: request.target.hasSuffix("?entity=1"))
        case let slug? where parts.count == 3:
            guard let theCase = Catalogue.named(slug) else { break }
            return play(theCase, request, folder: "/\(slug)/\(parts[1])", name: parts[2])
        default: break
        }
        return OriginReply(404, [("Content-Type", "text/plain")], body: Array("no such case; see --list\n".utf8))
    }

    private func play(_ theCase: OriginCase, _ request: OriginRequest, folder: String, name: String) -> OriginReply {
        if theCase.isSecureOnly, !places.main.hasPrefix("https") {
            return OriginReply(400, [], body: Array("this is a case only with --tls\n".utf8))
        }
        let at = clock.uptime()
        let turn = records.withLock { records -> (number: Int, isAlone: Bool, company: OriginGate)? in
            guard records.count < Self.recordsMax || records[folder] != nil else { return nil }
            var record = records[folder] ?? Record()
            defer { records[folder] = record }
            let number = record.count
            if request.method != "HEAD" { record.count += 1 }
            record.connections.insert(request.connection)
            if record.requests.count < Self.requestsMax { record.requests.append(SeenRequest(request, at: at)) }
            let isAlone = record.holder.map { $0 == request.connection || !isAnswering(on: $0) } ?? true
            if isAlone { record.holder = request.connection }
            return (number, isAlone, record.company)
        }
        guard let turn else { return OriginReply(503, [], body: Array("too many tokens: start it again\n".utf8)) }
        if turn.number > 0 { turn.company.open() }
        return theCase.answer(
            CaseExchange(
                request: request, number: turn.number, folder: folder, name: name, places: places, now: clock.now(),
                isAlone: turn.isAlone,
                company: .wait(turn.company, millisecondsMax: companyMillisecondsMax)))
    }

    private func isAnswering(on connection: Int) -> Bool {
        ([main] + others).contains { $0.isAnswering(on: connection) }
    }

    private func json(_ seen: SeenCase) -> OriginReply {
        OriginReply(200, [("Content-Type", "application/json")], body: Array((JSONLine.of(seen) + "\n").utf8))
    }

    private func bytes(of slug: String, isFirst: Bool) -> OriginReply {
        guard let theCase = Catalogue.named(slug) else { return OriginReply(404) }
        return OriginReply(200, [], body: (isFirst ? theCase.files.first ?? theCase.file : theCase.file).bytes)
    }
}
