import HTTPTypes
import LedgerModel
import LedgerTestSupport
import LedgerTransfer
import Testing

/// Small documents, fetched into memory by the rules of downloads.
@Suite struct DocumentFetchTests {
    private let transport = ScriptedTransport()

    private func fetch(
        _ path: String, mirrors: [String] = [], bytesMax: Int = 100
    ) async throws -> Result<DocumentFetch.Document, Failure> {
        let order = Order(
            url: try ResourceURL.parse("http://origin.test" + path).url,
            destination: Destination(directory: "/d", name: nil))
        var assignment = Assignment(lease: Lease(DownloadID(1), epoch: 0), order: order, ledgerPrefix: "")
        assignment.mirrors = try mirrors.map { Assignment.Mirror(try ResourceURL.parse("http://origin.test" + $0).url) }
        assignment.headers = [Assignment.Header(name: "X-Key", value: "s3cret")]
        let fetch = DocumentFetch(transport: transport, clock: ManualClock(.epoch), settings: TransferSettings())
        do throws(Failure) { return .success(try await fetch.fetch(assignment, bytesMax: bytesMax)) } catch {
            return .failure(error)
        }
    }

    private func answer(
        _ path: String, _ status: Int = 200, _ fields: HTTPFields = [:], _ body: String = "", end: Failure? = nil
    ) {
        let chunks = body.utf8.map { [$0] }
        transport.on(path) { _ in
            .response(
                TransferResponse(status: status, fields: fields, framing: .length(UInt64(chunks.count))),
                chunks: chunks, end: end)
        }
    }

    @Test func `a document is fetched after redirects, with its type and what belongs to its origin`() async throws {
        answer("/a", 302, [.location: "/b"])
        answer("/b", 200, [.contentType: "text/plain; charset=utf-8"], "words")
        let document = try await fetch("/a").get()
        #expect(document.url.text == "http://origin.test/b")
        #expect(document.contentType == "text/plain; charset=utf-8" && document.origin.mediaType == "text/plain")
        #expect(document.bytes == Array("words".utf8))
        let key = try #require(HTTPField.Name("X-Key"))
        #expect(transport.requests.map { $0.fields[key] } == ["s3cret", "s3cret"])
    }

    @Test func `one that is empty is a document`() async throws {
        answer("/none", 204)
        #expect(try await fetch("/none").get().bytes.isEmpty)
    }

    @Test func `a mirror is asked when the first can not say, and nothing of the first stays`() async throws {
        answer("/cut", 200, [:], "half", end: Failure(.connectionLost, "cut", isRetryable: true))
        answer("/whole", 200, [:], "whole")
        #expect(try await fetch("/cut", mirrors: ["/whole"]).get().bytes == Array("whole".utf8))
    }

    @Test func `a part that nobody asked for is no document`() async throws {
        answer("/part", 206, [.contentRange: "bytes 0-3/9"], "half")
        answer("/all", 206, [.contentRange: "bytes 0-4/5"], "whole")
        guard case .failure(let failure) = try await fetch("/part") else { return #expect(Bool(false)) }
        #expect(failure.code == .protocolViolation && failure.isRetryable)
        #expect(try await fetch("/part", mirrors: ["/all"]).get().bytes == Array("whole".utf8))
    }

    @Test func `one that is not there, or longer than its bound, fails`() async throws {
        answer("/long", 200, [:], String(repeating: "x", count: 101))
        for (path, code) in [("/gone", Failure.Code.status), ("/long", .protocolViolation)] {
            guard case .failure(let failure) = try await fetch(path) else {
                Issue.record("\(path) was fetched")
                continue
            }
            #expect(failure.code == code && !failure.isRetryable)
        }
        #expect(try await fetch("/long", bytesMax: 101).get().bytes.count == 101)
    }
}
