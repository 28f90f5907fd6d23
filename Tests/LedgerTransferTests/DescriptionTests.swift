import HTTPTypes
import LedgerModel
import LedgerSystem
import LedgerTestSupport
import Testing

@testable import LedgerTransfer

/// What a Metalink that an answer points to changes in a transfer that runs.
@Suite struct DescriptionTests {
    private let length: UInt64 = 8 << 20
    private static let sum = String(repeating: "0", count: 64)

    /// An attempt whose entity was just accepted.
    private func attempt(_ transport: ScriptedTransport, stating digest: String? = nil) throws -> Attempt {
        let (disk, reports) = (SimulatedDisk(), RecordedReports())
        let blocking = BlockingPool(threads: 1)
        let worker = DownloadWorker(
            transport: transport, fileSystem: disk, clock: ManualClock(.epoch), blocking: blocking,
            publication: Publication(fileSystem: disk, blocking: blocking, reporting: reports), reporting: reports,
            jitter: { 0 })
        let order = Order(
            url: try ResourceURL.parse("https://origin.test/f.bin").url,
            destination: Destination(directory: "/d", name: "f.bin"))
        var assignment = Assignment(lease: Lease(DownloadID(1), epoch: 0), order: order, ledgerPrefix: "0badcafe")
        assignment.headers = [Assignment.Header(name: "X-Key", value: "s3cret")]
        let attempt = Attempt(assignment, worker: worker, live: LiveProgress())
        var origin = Origin(
            url: order.url, length: length, validator: nil, acceptsRanges: true, mediaType: nil, suggestedName: "f")
        origin.digest = digest.flatMap { Digest(parsing: $0) }
        let response = TransferResponse(status: 200, fields: [:], framing: .length(length))
        attempt.withState { [origin] in _ = $0.machine.begin(origin, of: response) }
        return attempt
    }

    private func describe(_ file: String, stating digest: String? = nil) async throws -> Attempt {
        let transport = ScriptedTransport()
        let body = Array(
            "<metalink xmlns='urn:ietf:params:xml:ns:metalink'><file name='f'>\(file)</file></metalink>".utf8)
        transport.on("/f.meta4") { request in
            let hasSecret = HTTPField.Name("X-Key").map { request.fields[$0] != nil } ?? false
            // Only the user's own origin is shown the user's headers.
            let status = hasSecret == (request.url.host == "origin.test") ? 200 : 403
            return .response(
                TransferResponse(status: status, fields: [:], framing: .length(UInt64(body.count))), chunks: [body],
                end: nil)
        }
        let attempt = try attempt(transport, stating: digest)
        await attempt.describe(from: ResourceURL(recorded: "https://origin.test/f.meta4"))
        return attempt
    }

    private func pieces(_ count: Int) -> String {
        let hashes = String(repeating: "<hash>\(Self.sum)</hash>", count: count)
        return "<pieces type='sha-256' length='\(1 << 20)'>\(hashes)</pieces>"
    }

    private let urls = "<url>https://m.test/f</url><url>http://plain.test/f</url><url>https://origin.test/f.bin</url>"

    @Test func `its hashes are checked from then on, and its mirrors may help`() async throws {
        let attempt = try await describe("<size>\(length)</size>\(pieces(8))\(urls)")
        let (checks, sources, mixes) = attempt.withState { state in
            (state.checks, state.machine.sources.all.map(\.entry.url.text), state.machine.mixesSources)
        }
        #expect(checks?.hashes.count == 8)
        #expect(sources == ["https://origin.test/f.bin", "https://m.test/f"])
        #expect(mixes)
    }

    @Test func `one that tells of another length, or does not fit it, is left`() async throws {
        for file in ["<size>5</size>", "", "<size>\(length)</size>\(pieces(7))"] {
            let attempt = try await describe(file + urls)
            let (checks, count) = attempt.withState { ($0.checks, $0.machine.sources.all.count) }
            #expect(checks == nil && count == 1)
        }
    }

    @Test func `one that states another digest than the answer is left`() async throws {
        let file = "<size>\(length)</size><hash type='sha-256'>\(Self.sum)</hash>\(pieces(8))\(urls)"
        for (digit, count) in [("0", 2), ("1", 1)] {
            let attempt = try await describe(file, stating: "sha-256:" + String(repeating: digit, count: 64))
            #expect(attempt.withState { $0.machine.sources.all.count } == count)
        }
    }

    @Test func `one that is not to be had changes nothing`() async throws {
        let attempt = try attempt(ScriptedTransport())
        await attempt.describe(from: ResourceURL(recorded: "https://elsewhere.test/none.meta4"))
        #expect(attempt.withState { $0.checks } == nil)
    }
}
