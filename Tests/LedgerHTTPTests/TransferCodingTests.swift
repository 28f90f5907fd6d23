import LedgerModel
import LedgerTestSupport
import LedgerTransfer
import Testing

/// Transfer codings that nobody asked for (RFC 9112, section 6.1).
@Suite struct TransferCodingTests {
    @Test(arguments: ["gzip", "gzip, chunked", "chunked, gzip", "xchunked", "chunked,"])
    func `a body in a transfer coding that nobody asked for is never a file`(coding: String) async throws {
        try await Bench.run { bench in
            bench.origin.on("/disk.iso") { _ in
                let chunk = OriginReply.chunk(OriginEntity.pattern(9000)) + Array("0\r\n\r\n".utf8)
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
}
