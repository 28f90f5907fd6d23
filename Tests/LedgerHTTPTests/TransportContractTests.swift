import DownloadLedgerURLSession
import HTTPTypes
import LedgerHTTP
import LedgerModel
import LedgerTestSupport
import LedgerTransfer
import Testing

/// The transport over a real socket and the scripted one keep the same promises.
@Suite struct TransportContractTests {
    enum Kind: CaseIterable { case http, urlSession, scripted, scriptedEarly }

    private func run(_ kind: Kind, _ body: (TransportContract) async throws -> Void) async throws {
        switch kind {
        case .http, .urlSession:
            let origin = try await OriginServer.start()
            let transport: any Transport = kind == .http ? HTTPTransport() : URLSessionTransport()
            let whole = OriginReply(200, [], body: TransportContract.wholeBody)
            origin.on("/whole") { _ in whole }
            origin.on("/cut") { _ in whole.cut(after: TransportContract.cutBytes) }
            origin.on("/silent") { _ in OriginReply(steps: [.stall]) }
            origin.on("/secret") { _ in OriginReply(401, [("WWW-Authenticate", "Basic realm=\"x\"")], body: [1, 2]) }
            origin.on("/moved") { _ in OriginReply(302, [("Location", "/whole")], body: [1, 2]) }
            try await body(TransportContract(transport) { try origin.url($0) })
            await transport.shutdown()
            try await origin.stop()
        case .scripted, .scriptedEarly:
            let transport = ScriptedTransport(earlyChunks: kind == .scripted ? 0 : 1)
            let head = TransferResponse(
                status: 200, fields: [:], framing: .length(UInt64(TransportContract.wholeBody.count)))
            let bytes = TransportContract.wholeBody
            let lost = Failure(.connectionLost, "cut", isRetryable: true)
            transport.on("/whole") { _ in .response(head, chunks: [bytes], end: nil) }
            transport.on("/cut") { _ in
                .response(head, chunks: [Array(bytes.prefix(TransportContract.cutBytes))], end: lost)
            }
            transport.on("/silent") { _ in .silence }
            for (path, status) in [("/secret", 401), ("/moved", 302)] {
                let head = TransferResponse(status: status, fields: [:], framing: .length(2))
                transport.on(path) { _ in .response(head, chunks: [[1, 2]], end: nil) }
            }
            try await body(TransportContract(transport) { try ResourceURL.parse("http://origin.test" + $0).url })
        }
    }

    @Test(arguments: Kind.allCases)
    func `a whole body arrives in order, and the fetch returns`(kind: Kind) async throws {
        try await run(kind) { contract in
            let outcome = try await contract.fetch("/whole")
            #expect(outcome.failure == nil)
            #expect(outcome.framing == .length(UInt64(TransportContract.wholeBody.count)))
            #expect(outcome.bytes == TransportContract.wholeBody)
        }
    }

    @Test(arguments: Kind.allCases)
    func `what comes early is handed over once, and the sink gets what comes behind it`(kind: Kind) async throws {
        try await run(kind) { contract in
            let outcome = try await contract.fetch("/whole", .early)
            #expect(outcome.failure == nil && outcome.bytes == TransportContract.wholeBody)
        }
    }

    @Test(arguments: Kind.allCases)
    func `of a body that was cut, what came is in the sink, and the fetch throws`(kind: Kind) async throws {
        try await run(kind) { contract in
            let outcome = try await contract.fetch("/cut")
            #expect(outcome.failure?.code == .connectionLost)
            #expect(outcome.bytes == Array(TransportContract.wholeBody.prefix(TransportContract.cutBytes)))
        }
    }

    @Test(arguments: Kind.allCases)
    func `leaving without the body returns, and the next fetch works`(kind: Kind) async throws {
        try await run(kind) { contract in
            let left = try await contract.fetch("/whole", .nothing)
            #expect(left.status == 200 && left.failure == nil && left.bytes.isEmpty)
            let missing = try await contract.fetch("/missing", .nothing)
            #expect(missing.status == 404 && missing.failure == nil)
            let next = try await contract.fetch("/whole")
            #expect(next.bytes.count == TransportContract.wholeBody.count)
        }
    }

    @Test(arguments: Kind.allCases)
    func `what the caller throws is what the fetch throws`(kind: Kind) async throws {
        try await run(kind) { contract in
            let full = Failure(.diskFull, "no room", isRetryable: true)
            let head = try await contract.fetch("/whole", .refusingHead(full))
            #expect(head.failure == full)
            let body = try await contract.fetch("/whole", .refusingBody(full))
            #expect(body.failure == full)
        }
    }

    @Test(arguments: Kind.allCases)
    func `a redirect and the wish to know who we are, are answers like any other`(kind: Kind) async throws {
        try await run(kind) { contract in
            for (path, status) in [("/secret", 401), ("/moved", 302)] {
                let outcome = try await contract.fetch(path)
                #expect(outcome.status == status && outcome.bytes == [1, 2] && outcome.failure == nil)
            }
        }
    }

    @Test(arguments: Kind.allCases)
    func `cancelling ends a fetch that waits`(kind: Kind) async throws {
        try await run(kind) { contract in
            let fetch = Task { try await contract.fetch("/silent") }
            fetch.cancel()
            let outcome = try await fetch.value
            #expect(outcome.failure?.code == .connectionLost)
        }
    }

    @Test(arguments: Kind.allCases)
    func `cancelling a fetch cancels who takes its answer`(kind: Kind) async throws {
        try await run(kind) { contract in
            // Of a short one all has come by then.
            for path in ["/whole", "/secret"] {
                let waiting = TransportContract.Waiting()
                let fetch = Task { try await contract.fetch(path, .waiting(waiting)) }
                await waiting.untilBegun()
                fetch.cancel()
                let outcome = try await fetch.value
                #expect(outcome.bytes.isEmpty)
            }
        }
    }
}
