import LedgerModel
import LedgerTestSupport
import LedgerTransfer
import Testing

/// Rows 21 and 22: origins that can not be reached.
@Suite struct ConnectingTests {
    @Test func `an origin whose queue of connections is full is left after the time to connect`() async throws {
        try await Bench.run { bench in
            let full = try FullListener()
            var assignment = try bench.assignment("/disk.iso") { $0.silenceMillisecondsMax = 1000 }
            assignment.url = try ResourceURL.parse("http://127.0.0.1:\(full.port)/x").url
            guard case .failed(let failure, _) = await bench.run(assignment) else { return #expect(Bool(false)) }
            #expect(
                failure == Failure(.connectTimeout, "no connection to '127.0.0.1' within 1 s", isRetryable: true))
            full.end()
        }
    }

    @Test func `nobody there, and a name that nobody knows, each have their words`() async throws {
        try await Bench.run { bench in
            var assignment = try bench.assignment("/disk.iso")
            // A port that no test can be given: a free one may be another test's by now.
            assignment.url = try ResourceURL.parse("http://127.0.0.1:1/x").url
            guard case .failed(let refused, _) = await bench.run(assignment) else { return #expect(Bool(false)) }
            #expect(refused == Failure(.unreachable, "'127.0.0.1' refused the connection", isRetryable: true))
            assignment.url = try ResourceURL.parse("http://nowhere.invalid/x").url
            guard case .failed(let unknown, _) = await bench.run(assignment) else { return #expect(Bool(false)) }
            #expect(unknown == Failure(.nameNotResolved, "the name 'nowhere.invalid' is not known", isRetryable: true))
        }
    }
}
