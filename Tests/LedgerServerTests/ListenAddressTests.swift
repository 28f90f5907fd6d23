import LedgerAPI
import LedgerTestSupport
import Testing

@testable import LedgerServer

/// Whether an address can be listened on, once somebody has left it.
struct ListenAddressTests {
    private func address(_ text: String) throws -> ListenAddress { try #require(ListenAddress(parsing: text)) }

    @Test func `an address that is free is so afterwards too, and one that is taken is told`() async throws {
        let origin = try await OriginServer.start()
        let taken = try address("127.0.0.1:\(origin.port)")
        for held in [[], [try address("127.0.0.1:1")], [try address("127.0.0.2:\(origin.port)")]] {
            let problem = await #expect(throws: Problem.self) { try await taken.requireFree(besides: held) }
            #expect(problem?.code == .refused && problem?.message.contains("can not be listened on") == true)
            #expect(problem?.cause == "Address already in use")
        }
        // Whoever is to leave has it, or does not say where it serves.
        try await taken.requireFree(besides: [taken])
        try await taken.requireFree(besides: nil)
        try await origin.stop()
        for _ in 1...2 { try await taken.requireFree(besides: []) }
    }

    @Test func `an address of another machine is told, whoever is to leave`() async throws {
        // For documentation (RFC 5737): no machine has it.
        let foreign = try address("192.0.2.1:6800")
        for held in [nil, [], [foreign]] as [[ListenAddress]?] {
            await #expect(throws: Problem.self) { try await foreign.requireFree(besides: held) }
        }
    }

    @Test(arguments: [
        ("127.0.0.1:1", "127.0.0.1:1", true), ("127.0.0.1:1", "127.0.0.1:2", false),
        ("127.0.0.1:1", "127.0.0.2:1", false), ("0.0.0.0:1", "127.0.0.1:1", true), ("[::]:1", "127.0.0.1:1", true),
        ("localhost:1", "127.0.0.1:1", true), ("localhost:1", "localhost:2", false), ("[::1]:1", "127.0.0.1:1", false),
        ("[::1]:1", "[0:0::1]:1", true),
    ])
    func `addresses meet where a server at one keeps another from the other`(
        one: String, other: String, meet: Bool
    ) throws {
        let (one, other) = (try address(one), try address(other))
        #expect(one.meets(other) == meet && other.meets(one) == meet)
    }
}
