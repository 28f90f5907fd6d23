import LedgerModel
import LedgerTestSupport
import LedgerTransfer
import Synchronization
import Testing

/// Connections that are kept, and heads that say one thing twice.
struct KeptConnectionTests {
    private let body = OriginEntity.pattern(20_000)

    @Test(arguments: [false, true], [false, true])
    func `a request on a connection that the origin had closed is made again`(
        isReset: Bool, isSecure: Bool
    ) async throws {
        try await Bench.run(isSecure: isSecure) { bench in
            let asked = Mutex(0)
            bench.origin.on("/a") { OriginEntity(body).reply(to: $0) }
            bench.origin.on("/b") { request in
                let isFirst = asked.withLock { count in
                    count += 1
                    return count == 1
                }
                return isFirst ? OriginReply(steps: [isReset ? .reset : .close]) : OriginEntity(body).reply(to: request)
            }
            for name in ["a", "b"] {
                let assignment = try bench.assignment("/\(name)") { ($0.retriesMax, $0.isInsecure) = (0, isSecure) }
                await bench.completes(assignment, as: name)
            }
            #expect(bench.origin.requests.map(\.target) == ["/a", "/b", "/b"])
            #expect(bench.reports.all.kinds.allSatisfy { !$0.hasPrefix("failed") })
        }
    }

    /// What came behind an answer that was over is no answer to the next request.
    @Test(arguments: ["late bytes", "late\r\nbytes\r\n\r\n", "\u{0}"])
    func `bytes behind an answer spoil no other download`(late: String) async throws {
        try await Bench.run { bench in
            bench.origin.on("/a") { OriginEntity(body).reply(to: $0) }
            bench.origin.script(
                "/b",
                [
                    { OriginReply(steps: [.bytes(Array(late.utf8))] + OriginEntity(body).reply(to: $0).steps) },
                    { OriginEntity(body).reply(to: $0) },
                ])
            for name in ["a", "b"] {
                await bench.completes(try bench.assignment("/\(name)") { $0.retriesMax = 0 }, as: name)
            }
            #expect(bench.origin.requests.map(\.target) == ["/a", "/b", "/b"])
            #expect(try bench.file("b") == body)
        }
    }

    /// What comes next is in the head: an origin that drips the body of an error or of a redirection holds nothing up.
    @Test(.timeLimit(.minutes(2)), arguments: [302, 404, 503])
    func `a body that nobody wants is waited for no longer than a moment`(status: Int) async throws {
        try await Bench.run { bench in
            let gate = OriginGate()
            let head = "HTTP/1.1 \(status) X\r\nLocation: /b\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n"
            bench.origin.on("/a") { _ in OriginReply(steps: [.bytes(Array(head.utf8)), .gate(gate)]) }
            bench.origin.on("/b") { OriginEntity(body).reply(to: $0) }
            let assignment = try bench.assignment("/a", name: "a") { options in
                (options.retriesMax, options.silenceMillisecondsMax) = (0, 3_600_000)
            }
            let end = await bench.run(assignment)
            gate.open()
            if status == 302 {
                #expect(end == .completed(path: bench.path("a")))
            } else {
                guard case .failed(let failure, _) = end else { return #expect(Bool(false), "\(end)") }
                #expect(failure.code == .status)
            }
        }
    }

    @Test func `one that is closed at once, without an answer, is a failed attempt`() async throws {
        try await Bench.run { bench in
            bench.origin.on("/a") { _ in OriginReply(steps: [.close]) }
            let end = await bench.run(try bench.assignment("/a") { $0.retriesMax = 0 })
            guard case .failed(let failure, _) = end else { return #expect(Bool(false), "\(end)") }
            #expect(failure.code == .connectionLost && bench.origin.requests.count == 1)
        }
    }

    @Test(arguments: [
        ["Content-Length: 20000", "Content-Length: 20000"], ["Content-Length: 20000, 20000"],
        ["content-length: 20000", "X-A: 1", "CONTENT-LENGTH:20000 ,20000"],
    ]) func `a length that is stated several times is one`(lines: [String]) async throws {
        try await Bench.run { bench in
            let head = (["HTTP/1.1 200 OK"] + lines).joined(separator: "\r\n") + "\r\n\r\n"
            bench.origin.on("/a") { _ in OriginReply(steps: [.bytes(Array(head.utf8)), .bytes(body)]) }
            await bench.completes(try bench.assignment("/a") { $0.retriesMax = 0 }, as: "a")
            #expect(try bench.file("a") == body)
        }
    }

    @Test func `two lengths that differ are refused`() async throws {
        try await Bench.run { bench in
            let head = "HTTP/1.1 200 OK\r\nContent-Length: 20000, 19999\r\n\r\n"
            bench.origin.on("/a") { _ in OriginReply(steps: [.bytes(Array(head.utf8)), .bytes(body)]) }
            let end = await bench.run(try bench.assignment("/a") { $0.retriesMax = 0 })
            guard case .failed(let failure, _) = end else { return #expect(Bool(false), "\(end)") }
            #expect(failure.code == .protocolViolation)
        }
    }
}
