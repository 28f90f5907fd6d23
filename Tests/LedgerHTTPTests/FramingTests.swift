import LedgerModel
import LedgerTestSupport
import LedgerTransfer
import Testing

/// Rows 13, 15, 18, 20 and 21: how bodies end, or do not.
@Suite struct FramingTests {
    let body = OriginEntity.pattern(300_000)

    @Test func `a body cut short is continued in the same run until it is whole`() async throws {
        try await Bench.run { bench in
            bench.origin.script(
                "/disk.iso",
                [
                    { OriginEntity(body).reply(to: $0).cut(after: 100_000) },
                    { OriginEntity(body).reply(to: $0).cut(after: 70_000, .reset) },
                    { OriginEntity(body).reply(to: $0) },
                ])
            await bench.completes(try bench.assignment("/disk.iso"), as: "disk.iso")
            #expect(try bench.file("disk.iso") == body)
            #expect(bench.origin.requests.count == 3)
            #expect(bench.origin.requests.map { $0["range"] } == [nil, "bytes=100000-", "bytes=170000-"])
            #expect(bench.origin.requests.allSatisfy { $0["range"] == nil || $0["if-range"] == "\"v1\"" })
            #expect(!bench.reports.all.kinds.contains { $0.hasPrefix("failed") })
        }
    }

    @Test func `a body cut short that can not be continued fails and is tried again later`() async throws {
        try await Bench.run { bench in
            bench.origin.on("/disk.iso") { OriginEntity(body, entityTag: nil).reply(to: $0).cut(after: 100_000) }
            let end = await bench.run(try bench.assignment("/disk.iso"))
            let cut = Failure(.connectionLost, "the connection closed before the body was whole", isRetryable: true)
            #expect(end == .failed(cut, retryAt: Bench.start.advanced(by: .milliseconds(125))))
            #expect(bench.reports.all.kinds == ["failed connection-lost"])
            #expect(try bench.names == [])
        }
    }

    @Test func `a chunked body without its last chunk is a failure, never a file`() async throws {
        try await Bench.run { bench in
            bench.origin.on("/disk.iso") { _ in
                OriginReply(steps: [
                    OriginReply.head(200, [("Transfer-Encoding", "chunked")]), .bytes(OriginReply.chunk(body)), .close,
                ])
            }
            let end = await bench.run(try bench.assignment("/disk.iso"))
            guard case .failed(let failure, _) = end else { return #expect(Bool(false), "\(end)") }
            #expect(failure.code == .connectionLost)
            #expect(failure.isRetryable)
            #expect(try bench.names == [])
        }
    }

    @Test(arguments: [OriginReply.Framing.chunked, .close])
    func `a body without a length is whole when it ends as it should`(framing: OriginReply.Framing) async throws {
        try await Bench.run { bench in
            bench.origin.on("/disk.iso") { _ in OriginReply(200, [], body: body, framing: framing) }
            await bench.completes(try bench.assignment("/disk.iso"), as: "disk.iso")
            #expect(try bench.file("disk.iso") == body)
        }
    }

    @Test func `over TLS only TLS's own end makes a body without a length whole`() async throws {
        try await Bench.run(isSecure: true) { bench in
            let whole = OriginReply(200, [], body: body, framing: .close)
            bench.origin.on("/whole.iso") { _ in whole }
            bench.origin.on("/cut.iso") { _ in OriginReply(steps: whole.steps.dropLast() + [.drop]) }
            let cut = await bench.run(try bench.assignment("/cut.iso", id: 2) { $0.isInsecure = true })
            guard case .failed(let failure, .some) = cut else { return #expect(Bool(false), "\(cut)") }
            #expect(failure.code == .connectionLost)
            #expect(try bench.names == [])
            await bench.completes(try bench.assignment("/whole.iso") { $0.isInsecure = true }, as: "whole.iso")
            #expect(try bench.file("whole.iso") == body)
        }
    }

    @Test(arguments: [200, 204])
    func `an empty answer is an empty file`(status: Int) async throws {
        try await Bench.run { bench in
            bench.origin.on("/empty.bin") { _ in OriginReply(status) }
            await bench.completes(try bench.assignment("/empty.bin"), as: "empty.bin")
            #expect(try bench.file("empty.bin") == [])
            #expect(bench.reports.all.kinds == ["resolved 1", "verified 0 empty.bin", "completed 0"])
        }
    }

    @Test func `an origin that never answers is left after the silence that is allowed`() async throws {
        try await Bench.run { bench in
            bench.origin.on("/disk.iso") { _ in OriginReply(steps: [.stall]) }
            let end = await bench.run(try bench.assignment("/disk.iso") { $0.silenceMillisecondsMax = 1000 })
            let silence = Failure(.silence, "no answer from '127.0.0.1' within 1 s", isRetryable: true)
            #expect(end == .failed(silence, retryAt: Bench.start.advanced(by: .milliseconds(125))))
        }
    }

    @Test func `an origin that stops in the middle is left too, and what came is on record`() async throws {
        try await Bench.run { bench in
            bench.origin.script(
                "/disk.iso",
                [
                    { OriginEntity(body).reply(to: $0).cut(after: 100_000, .stall) },
                    { _ in OriginReply(steps: [.stall]) },
                ])
            let end = await bench.run(try bench.assignment("/disk.iso") { $0.silenceMillisecondsMax = 1000 })
            guard case .failed(let failure, let retryAt?) = end else { return #expect(Bool(false), "\(end)") }
            #expect(failure.code == .silence)
            #expect(retryAt == Bench.start.advanced(by: .milliseconds(125)))
            #expect(bench.reports.all.kinds == ["resolved 1", "progressed 100000", "failed silence"])
            #expect(try bench.names == ["disk.iso.1-0badcafe.1.part"])
        }
    }

    @Test func `an origin that drips is left, and what came is on record`() async throws {
        try await Bench.run { bench in
            bench.origin.on("/disk.iso") { request in
                var reply = OriginEntity(body).reply(to: request).cut(after: 0)
                reply.steps.removeLast()
                reply.steps.append(.drip(body[0], everyMilliseconds: 250))
                return reply
            }
            let end = await bench.run(try bench.assignment("/disk.iso") { $0.silenceMillisecondsMax = 2000 })
            guard case .failed(let failure, .some) = end else { return #expect(Bool(false), "\(end)") }
            #expect(failure.code == .lowSpeed)
            #expect(failure.message.hasSuffix("bytes from '127.0.0.1' in 2 s: the origin is too slow"))
            #expect(bench.origin.requests.count == 1)
        }
    }

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

    @Test(arguments: ["gzip", "gzip, chunked", "chunked, gzip", "xchunked", "chunked,"])
    func `a body in a transfer coding that nobody asked for is never a file`(coding: String) async throws {
        try await Bench.run { bench in
            bench.origin.on("/disk.iso") { _ in
                let chunk = OriginReply.chunk(body) + Array("0\r\n\r\n".utf8)
                return OriginReply(steps: [
                    OriginReply.head(200, [("Transfer-Encoding", coding)]), .bytes(chunk), .close,
                ])
            }
            guard case .failed(let failure, nil) = await bench.run(try bench.assignment("/disk.iso")) else {
                return #expect(Bool(false))
            }
            #expect(failure.code == .protocolViolation)
            #expect(try bench.names == [])
        }
    }

    @Test func `junk instead of HTTP is refused`() async throws {
        try await Bench.run { bench in
            bench.origin.on("/disk.iso") { _ in
                OriginReply(steps: [.bytes(Array("SSH-2.0-OpenSSH\r\n\r\n".utf8)), .close])
            }
            guard case .failed(let failure, nil) = await bench.run(try bench.assignment("/disk.iso")) else {
                return #expect(Bool(false))
            }
            #expect(failure.code == .protocolViolation)
        }
    }
}
