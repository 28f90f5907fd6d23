import NIOCore
import NIOEmbedded
import Testing

@testable import LedgerHTTP

/// What the screen before the parser makes of a head, however its bytes come.
struct HeadScreenTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let head: String
        /// What passes; nil for the same.
        var mended: String?
        var testDescription: String { head.debugDescription }
    }

    static let cases = [
        Case(head: "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n"),
        Case(
            head: "HTTP/1.1 200 OK\r\nContent-Length: 4\r\nX: y\r\nTransfer-Encoding: chunked\r\n\r\n",
            mended: "HTTP/1.1 200 OK\r\nX: y\r\nTransfer-Encoding: chunked\r\n\r\n"),
        Case(
            head: "HTTP/1.1 200 OK\r\ncontent-length: 4\r\nCONTENT-LENGTH:4\r\nX: y\r\n\r\n",
            mended: "HTTP/1.1 200 OK\r\nContent-Length: 4\r\nX: y\r\n\r\n"),
        Case(
            head: "HTTP/1.1 200 OK\nContent-Length: 4, 4\n\n",
            mended: "HTTP/1.1 200 OK\nContent-Length: 4\r\n\n"),
        // The parser is to refuse these.
        Case(head: "HTTP/1.1 200 OK\r\nContent-Length: 4\r\nContent-Length: 5\r\n\r\n"),
        Case(head: "HTTP/1.1 200 OK\r\nContent-Length: 4,\r\n\r\n"),
        // An interim head is passed over, and so are empty lines.
        Case(
            head: "HTTP/1.1 103 Early Hints\r\nLink: <x>\r\n\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 4,4\r\n\r\n",
            mended: "HTTP/1.1 103 Early Hints\r\nLink: <x>\r\n\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n"),
        Case(head: "SSH-2.0-OpenSSH\r\nContent-Length: 4\r\n\r\n"),
    ]

    /// A body that would be mended, were it a head.
    private static let body = "HTTP/1.1 200 OK\r\nContent-Length: 4,4\r\n\r\n"

    /// What comes out when these pieces go in, one after the other, and then the connection ends.
    private func passed(_ pieces: [Substring.UTF8View]) throws -> String {
        let channel = EmbeddedChannel(handler: HeadScreen())
        try channel.writeOutbound(ByteBuffer(string: "GET / HTTP/1.1\r\n\r\n"))
        for piece in pieces { _ = try channel.writeInbound(ByteBuffer(bytes: piece)) }
        _ = try channel.finish()
        var whole = ByteBuffer()
        while var next = try channel.readInbound(as: ByteBuffer.self) { whole.writeBuffer(&next) }
        return String(buffer: whole)
    }

    @Test(arguments: cases) func `a head is mended the same, wherever it is cut`(theCase: Case) throws {
        let bytes = Substring(theCase.head + Self.body).utf8
        let expected = (theCase.mended ?? theCase.head) + Self.body
        #expect(try passed([bytes]) == expected)
        for place in bytes.indices.dropFirst() {
            #expect(try passed([bytes[..<place], bytes[place...]]) == expected)
        }
        #expect(try passed(bytes.indices.map { bytes[$0..<bytes.index(after: $0)] }) == expected)
    }

    @Test func `a head that never ends passes as it is, and so does one that is cut`() throws {
        let line = "X-Endless: " + String(repeating: "x", count: 1 << 10) + "\r\n"
        let head = "HTTP/1.1 200 OK\r\nContent-Length: 4,4\r\n" + String(repeating: line, count: 140)
        #expect(head.utf8.count > HeadScreen.headBytesMax)
        let pieces = stride(from: 0, to: head.utf8.count, by: 1 << 14).map { start in
            Substring(head).utf8.dropFirst(start).prefix(1 << 14)
        }
        #expect(try passed(pieces) == head)
        let cut = "HTTP/1.1 200 OK\r\nContent-Length: 4,4\r\n"
        #expect(try passed([Substring(cut).utf8]) == cut)
    }
}
