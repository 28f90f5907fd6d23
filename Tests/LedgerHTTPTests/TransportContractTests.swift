import HTTPTypes
import LedgerHTTP
import LedgerModel
import LedgerTestSupport
import LedgerTransfer
import Testing

/// The transport over a real socket and the scripted one keep the same promises.
@Suite struct TransportContractTests {
    enum Kind: CaseIterable { case http, scripted }

    private func run(_ kind: Kind, _ body: (TransportContract) async throws -> Void) async throws {
        switch kind {
        case .http:
            let origin = try await OriginServer.start()
            let transport = HTTPTransport()
            let whole = OriginReply(200, [], body: TransportContract.wholeBody)
            origin.on("/whole") { _ in whole }
            origin.on("/cut") { _ in whole.cut(after: TransportContract.cutBytes) }
            origin.on("/silent") { _ in OriginReply(steps: [.stall]) }
            try await body(TransportContract(transport) { try origin.url($0) })
            await transport.shutdown()
            try await origin.stop()
        case .scripted:
            let transport = ScriptedTransport()
            let head = TransferResponse(
                status: 200, fields: [:], framing: .length(UInt64(TransportContract.wholeBody.count)))
            let bytes = TransportContract.wholeBody
            let lost = Failure(.connectionLost, "cut", isRetryable: true)
            transport.on("/whole") { _ in .response(head, chunks: [bytes], end: nil) }
            transport.on("/cut") { _ in
                .response(head, chunks: [Array(bytes.prefix(TransportContract.cutBytes))], end: lost)
            }
            transport.on("/silent") { _ in .silence }
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
    func `cancelling ends a fetch that waits`(kind: Kind) async throws {
        try await run(kind) { contract in
            let fetch = Task { try await contract.fetch("/silent") }
            fetch.cancel()
            let outcome = try await fetch.value
            #expect(outcome.failure?.code == .connectionLost)
        }
    }
}
