/// An answer in the pieces that a ``Mutator`` gets at: lines without their ends, and a body with or without chunks.
package struct WireAnswer: Sendable {
    /// A piece of the body.
    package enum Piece: Sendable {
        /// Bytes as they are.
        case data([UInt8])
        /// The line that says how long the next chunk is, or a line of the trailer.
        case line([UInt8])
    }

    /// What is sent ahead of it: interim answers.
    package var ahead: [UInt8] = []
    /// The status line.
    package var status: [UInt8]
    /// The lines of the fields.
    package var fields: [[UInt8]]
    /// The body.
    package var body: [Piece]
    /// What ends a line.
    package var lineEnd = Array("\r\n".utf8)

    /// An answer in good order.
    package init(_ status: Int, _ fields: [(String, String)], body: [Piece]) {
        self.status = Array("HTTP/1.1 \(status) Status".utf8)
        self.fields = fields.map { Array("\($0.0): \($0.1)".utf8) }
        self.body = body
    }

    /// What goes over the wire.
    package var bytes: [UInt8] {
        var bytes = ahead + status + lineEnd
        for field in fields { bytes += field + lineEnd }
        bytes += lineEnd
        for piece in body {
            switch piece {
            case .data(let data): bytes += data
            case .line(let line): bytes += line + lineEnd
            }
        }
        return bytes
    }

    /// A body in chunks of at most `chunkBytesMax` bytes, with its last chunk and an empty trailer.
    package static func chunked(_ body: [UInt8], chunkBytesMax: Int) -> [Piece] {
        var pieces: [Piece] = []
        var rest = body[...]
        while !rest.isEmpty {
            let chunk = rest.prefix(chunkBytesMax)
            rest = rest.dropFirst(chunk.count)
            pieces += [.line(Array(String(chunk.count, radix: 16).utf8)), .data(Array(chunk)), .line([])]
        }
        return pieces + [.line(Array("0".utf8)), .line([])]
    }
}
