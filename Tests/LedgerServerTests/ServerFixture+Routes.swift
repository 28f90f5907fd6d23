import LedgerAria2
import LedgerEngine
import LedgerHolder
import LedgerModel
import LedgerSystem
import LedgerTestSupport
import Logging
import SystemPackage

@testable import LedgerServer

extension ServerFixture {
    /// What the routes of a server stand on.
    func backend() throws -> Backend {
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        return Backend(
            service: service, client: service.acting(as: .api),
            configuration: ServerConfiguration(roots: [downloads], logger: logger),
            roots: try DestinationRoots([downloads], fileSystem: service.ledger.world.fileSystem),
            startedAt: service.ledger.world.clock.now())
    }

    /// The routes of a server.
    func routes() throws -> [Route] {
        let backend = try backend()
        let gate = Gate(
            TokenFile(service.ledger.home, fileSystem: service.ledger.world.fileSystem), backend.clock, isPrivate: true)
        let feed = EventFeed(after: service.ledger.lastSequence)
        return LedgerServer.routes(backend, gate, feed, Aria2Endpoint(backend, gate))
    }
}

/// What origins of these tests serve.
enum OriginReplyMaker {
    /// A feed of two episodes, and for any other path a few bytes.
    static func feed(_ request: OriginRequest) -> OriginReply {
        guard request.path == "/feed.xml" else { return OriginEntity([1, 2, 3]).reply(to: request) }
        let items = (1...2).map { number in
            "<item><title>Episode \(number)</title><guid>e\(number)</guid>"
                + "<pubDate>\(number) Jan 2020 00:00:00 GMT</pubDate>"
                + "<enclosure url=\"/\(number).mp3\" type=\"audio/mpeg\" length=\"3\"/></item>"
        }
        let text = "<rss version=\"2.0\"><channel><title>Radio</title>\(items.joined())</channel></rss>"
        return OriginEntity(Array(text.utf8)).reply(to: request)
    }
}
