extension Mutator {
    /// Fields that say how long the body is, beside or instead of those that are there.
    mutating func spoilFraming(_ answer: inout WireAnswer) {
        let length = answer.body.reduce(0) { sum, piece in
            if case .data(let data) = piece { return sum + data.count }
            return sum
        }
        let field =
            switch Int.random(in: 0..<3, using: &generator) {
            case 0: "Content-Length: " + absurd(String(length))
            case 1:
                "Transfer-Encoding: "
                    + pick([
                        "chunked", "Chunked", "identity", "gzip", "gzip, chunked", "chunked, gzip", "chunked, chunked",
                        "xchunked", "chunked;q=1", "\"chunked\"", "", "chunked,", " , chunked", "chunked\u{B}",
                    ])
            default: "Content-Length: \(length)"
            }
        if chance(1, of: 2) {
            answer.fields.removeAll { line in
                let name = String(decoding: line.prefix { $0 != UInt8(ascii: ":") }, as: UTF8.self).lowercased()
                return name == "content-length" || name == "transfer-encoding"
            }
        }
        answer.fields.insert(Array(field.utf8), at: Int.random(in: 0...answer.fields.count, using: &generator))
        note("says '\(field)'")
    }

    /// Fields that say which bytes these are, and of what.
    mutating func spoilEntity(_ answer: inout WireAnswer) {
        let first = Int.random(in: 0..<4000, using: &generator)
        let field = pick([
            "Content-Range: bytes \(first)-\(first + 99)/5000", "Content-Range: bytes 0-\(first)/\(first + 1)",
            "Content-Range: bytes */\(first)", "Content-Range: bytes 9-0/10", "Content-Range: items 0-1/2",
            "Content-Range: bytes 0-18446744073709551615/*", "Content-Range: bytes \(first)-18446744073709551615/*",
            "ETag: W/\"v1\"", "ETag: \"v9\"", "ETag: v1", "ETag:", "Last-Modified: yesterday",
            "Last-Modified: Mon, 02 Mar 2026 10:00:01 GMT", "Content-Encoding: gzip", "Content-Type: text/html",
            "Content-Type: multipart/byteranges; boundary=x", "Content-Disposition: attachment; filename=../../x",
            "Content-Disposition: attachment; filename*=UTF-8''%00%2f%FF", "Location: /elsewhere",
            "Connection: close", "Connection: keep-alive", "Connection: upgrade", "Upgrade: h2c", "Trailer: ETag",
            "Retry-After: -5", "Retry-After: 99999999999999999999",
        ])
        let name = field.prefix { $0 != ":" }.lowercased()
        if chance(2, of: 3) {
            answer.fields.removeAll { String(decoding: $0.prefix(name.utf8.count), as: UTF8.self).lowercased() == name }
        }
        answer.fields.insert(Array(field.utf8), at: Int.random(in: 0...answer.fields.count, using: &generator))
        note("says '\(field)'")
    }

    /// A body that is cut, too long, or has other bytes in it.
    mutating func spoilBody(_ answer: inout WireAnswer) {
        guard !answer.body.isEmpty else { return }
        let index = Int.random(in: 0..<answer.body.count, using: &generator)
        guard case .data(var data) = answer.body[index], !data.isEmpty else {
            note("ends at piece \(index) of the body")
            return answer.body.removeSubrange(index...)
        }
        let place = Int.random(in: 0..<data.count, using: &generator)
        let other = OriginEntity.pattern(Int.random(in: 1...300, using: &generator), seed: generator.next())
        switch Int.random(in: 0..<4, using: &generator) {
        case 0:
            note("a body ends at \(place)")
            data.removeSubrange(place...)
        case 1:
            note("a body goes on for \(other.count) bytes")
            data += other
        case 2:
            note("other bytes stand at \(place)")
            data.replaceSubrange(place..<min(data.count, place + other.count), with: other)
        default:
            note("a body is followed by an answer that nobody asked for")
            data += Array("HTTP/1.1 206 Partial\r\nContent-Length: 5\r\nETag: \"v1\"\r\n\r\nxxxxx".utf8)
        }
        answer.body[index] = .data(data)
    }

    /// Chunk sizes that lie, and lines that are none.
    mutating func spoilChunks(_ answer: inout WireAnswer) {
        let lines = answer.body.indices.filter { index in
            if case .line = answer.body[index] { return true }
            return false
        }
        guard !lines.isEmpty else { return spoilFraming(&answer) }
        let index = pick(lines)
        guard case .line(let line) = answer.body[index] else { return }
        let text = String(decoding: line, as: UTF8.self)
        let size = Int(text, radix: 16) ?? 0
        let sizes = [
            String(size + 1, radix: 16), String(max(0, size - 1), radix: 16), String(size * 16, radix: 16), "0",
            "-" + text, "+" + text, "0x" + text, "00000000000000000000" + text, "ffffffffffffffff",
            "10000000000000000", "7fffffffffffffff", text + ";name=value", text + ";\u{0}", text + " ", " " + text,
            text + " 5", text + "\r", "", "g", text.uppercased(), text + ";" + String(repeating: "x", count: 30_000),
            text + "\nX: y", "X-Trailer: 1", "Content-Length: 3", text + ",",
        ]
        switch Int.random(in: 0..<5, using: &generator) {
        case 0: answer.body.remove(at: index)
        case 1: answer.body.insert(answer.body[index], at: index)
        default: answer.body[index] = .line(Array(pick(sizes).utf8))
        }
        note("spoils the chunk line '\(text)' at piece \(index)")
    }
}
