import LedgerAPI
import LedgerEngine
import LedgerModel
import LedgerSystem
import LedgerTestSupport
import SystemPackage
import Testing

@testable import LedgerHolder

/// Lists that are too long for one message, over the socket as another process speaks it.
struct LongListTests {
    /// More than go in two messages.
    private static let count = 2 * MessageParts<ControlRequest>.elementsMax + 88

    private func ask(_ connection: LocalConnection, _ body: ControlRequest.Body) throws -> ControlResponse {
        try connection.send(try ControlRequest(body).encoded())
        return try ControlResponse(decoding: try #require(try connection.receive()))
    }

    /// What nobody fetches.
    private func requests(_ count: Int, in fixture: ServiceFixture) throws -> [EnqueueRequest] {
        try (0..<count).map { number in
            var request = try fixture.request("/\(number)")
            request.isPaused = true
            return request
        }
    }

    @Test func `a list that comes in parts is one batch, and its answer comes in parts`() async throws {
        try await ServiceFixture.run { fixture in
            let requests = try requests(Self.count, in: fixture)
            let connection = try LocalConnection.connect(to: LedgerHome(fixture.home).socket)
            defer { connection.close() }
            #expect(try ask(connection, .gather(Array(requests[..<256]))) == .gathered)
            #expect(try ask(connection, .gather(Array(requests[256..<512]))) == .gathered)
            #expect(fixture.service.ledger.lastSequence == .zero)
            var answers: [EnqueueAnswer] = []
            var sizes: [Int] = []
            var response = try ask(connection, .enqueue(Array(requests[512...])))
            while case .part(.enqueued(let part)) = response {
                sizes.append(part.count)
                answers += part
                response = try ControlResponse(decoding: try #require(try connection.receive()))
            }
            guard case .enqueued(let rest) = response else { return #expect(Bool(false), "\(response)") }
            #expect(sizes == [256, 256] && rest.count == 88)
            let urls = (answers + rest).map { if case .accepted(let row, false) = $0 { row.url } else { "" } }
            #expect(urls == requests.map(\.url))
            var batches = fixture.service.ledger.events(after: .zero).makeAsyncIterator()
            #expect(Set(try #require(try await batches.next()).compactMap(\.id)).count == Self.count)
            // What was gathered went with it.
            #expect(try ask(connection, .enqueue([])) == .enqueued([]))
        }
    }

    @Test func `who asks again is told what was done to those that were chosen then`() async throws {
        try await ServiceFixture.run { fixture in
            _ = try await fixture.service.enqueue(try requests(3, in: fixture))
            let command = CommandID(high: 7, low: 7)
            for _ in 0..<2 {
                let answers = try await fixture.service.act(.delete(.trash), on: .all, command: command)
                #expect(answers.map { $0.row?.state } == [.deleted, .deleted, .deleted])
            }
            let other = CommandID(high: 7, low: 8)
            #expect(try await fixture.service.act(.delete(.trash), on: .all, command: other).isEmpty)
        }
    }

    @Test func `who asks again has done what was cut off, and is told again what was refused`() async throws {
        try await ServiceFixture.run { fixture in
            let (service, command) = (fixture.service, CommandID(high: 7, low: 7))
            _ = try await service.enqueue(try requests(3, in: fixture))
            let ids = try await service.read { Array($0.queue.downloads.ids) }
            _ = try await service.act(.cancel, on: .ids([ids[1]]), command: CommandID(high: 7, low: 8))
            // As if all but the first had not become durable.
            _ = try await service.act(.resume, on: .ids([ids[0]]), command: command)
            let answers = try await service.act(.resume, on: .ids(ids), command: command)
            #expect(answers.map { $0.row?.id } == [ids[0], nil, ids[2]])
        }
    }

    @Test func `what can not be asked of none is refused, though none is chosen`() async throws {
        try await ServiceFixture.run { fixture in
            var change = ChangeRequest()
            change.url = "http://a/b"
            await #expect(throws: Problem(.oneURL(downloads: 0))) {
                try await fixture.service.act(.change(change), on: .all, command: CommandID(high: 7, low: 7))
            }
        }
    }

    @Test func `a list that is too long is refused, and nothing of it is enqueued`() async throws {
        try await ServiceFixture.run { fixture in
            let path = fixture.root.appending("other.sock")
            let server = ControlServer(path: path, listBytesMax: 4096)
            try server.start(fixture.service, fixture.disk)
            defer { server.stop() }
            let connection = try LocalConnection.connect(to: path)
            defer { connection.close() }
            #expect(try ask(connection, .gather(try requests(1, in: fixture))) == .gathered)
            guard case .failed(let problem) = try ask(connection, .gather(try requests(20, in: fixture))) else {
                return #expect(Bool(false), "a list of more than 4096 bytes was taken")
            }
            #expect(problem.exitCode == .usage)
            #expect(try ask(connection, .enqueue([])) == .enqueued([]))
            #expect(fixture.service.ledger.lastSequence == .zero)
        }
    }
}
