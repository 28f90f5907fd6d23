/// What an origin sends, byte by byte, so that it can misbehave.
package struct OriginReply: Sendable {
    /// A step of an answer.
    package enum Step: Sendable {
        case bytes([UInt8])
        /// Waits until the test opens the gate.
        case gate(OriginGate)
        /// Waits until somebody opens the gate, but no longer than so long.
        case wait(OriginGate, millisecondsMax: Int64)
        /// Closes the connection in order (FIN).
        case close
        /// Closes the connection with a reset (RST).
        case reset
        /// Closes the connection in order, but without TLS's own end (`close_notify`).
        case drop
        /// Sends the bytes one by one, with a pause after each.
        case drip(ArraySlice<UInt8>, everyMilliseconds: Int64)
        /// Waits, and goes on; not at all once the gate is open.
        case pause(milliseconds: Int64, unless: OriginGate? = nil)
        /// Sends nothing more and keeps the connection.
        case stall
    }

    /// How the body's end is told.
    package enum Framing: Sendable { case length, chunked, close }

    /// The steps in order; after the last one the connection waits for the next request.
    package var steps: [Step]

    /// An answer of any steps.
    package init(steps: [Step]) { self.steps = steps }

    /// An answer in good order.
    package init(
        _ status: Int = 200, _ fields: [(String, String)] = [], body: [UInt8] = [], framing: Framing = .length
    ) {
        var fields = fields
        switch framing {
        case .length where status == 204 || status == 304: break
        case .length: fields.append(("Content-Length", String(body.count)))
        case .chunked: fields.append(("Transfer-Encoding", "chunked"))
        case .close: fields.append(("Connection", "close"))
        }
        steps = [Self.head(status, fields)]
        switch framing {
        case .length: steps.append(.bytes(body))
        case .chunked: steps += [.bytes(Self.chunk(body)), .bytes(Array("0\r\n\r\n".utf8))]
        case .close: steps += [.bytes(body), .close]
        }
    }

    /// A head alone.
    package static func head(_ status: Int, _ fields: [(String, String)]) -> Step {
        let lines = ["HTTP/1.1 \(status) Status"] + fields.map { "\($0.0): \($0.1)" }
        return .bytes(Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8))
    }

    /// One chunk of the chunked coding.
    package static func chunk(_ bytes: [UInt8]) -> [UInt8] {
        Array((String(bytes.count, radix: 16) + "\r\n").utf8) + bytes + Array("\r\n".utf8)
    }

    /// A redirect; nil for one without `Location`.
    package static func redirect(_ status: Int, to location: String?) -> OriginReply {
        OriginReply(status, location.map { [("Location", $0)] } ?? [], body: Array("moved".utf8))
    }

    /// The same answer, its body cut after `count` bytes, and then `end`.
    package func cut(after count: Int, _ end: Step = .close) -> OriginReply {
        var left = count
        var kept: [Step] = [steps[0]]
        for step in steps.dropFirst() {
            guard case .bytes(let bytes) = step else {
                kept.append(step)
                continue
            }
            kept.append(.bytes(Array(bytes.prefix(left))))
            left -= min(left, bytes.count)
            if left == 0 { break }
        }
        return OriginReply(steps: kept + [end])
    }

    /// The same answer, waiting at `gate` after `count` bytes of its body.
    package func holding(at gate: OriginGate, after count: Int) -> OriginReply {
        guard steps.count > 1, case .bytes(let body) = steps[1] else { return self }
        let halves: [Step] = [.bytes(Array(body.prefix(count))), .gate(gate), .bytes(Array(body.dropFirst(count)))]
        return OriginReply(steps: [steps[0]] + halves + steps.dropFirst(2))
    }

    /// The same answer, its body in so many pieces with a pause before each, so that it takes its time: until `gate` is
    /// opened, if there is one.
    package func paced(pieces: Int, everyMilliseconds pause: Int64, until gate: OriginGate? = nil) -> OriginReply {
        guard steps.count > 1, case .bytes(let body) = steps[1], !body.isEmpty else { return self }
        let size = (body.count + pieces - 1) / pieces
        let slow = stride(from: 0, to: body.count, by: size).flatMap { start -> [Step] in
            [.pause(milliseconds: pause, unless: gate), .bytes(Array(body[start..<min(start + size, body.count)]))]
        }
        return OriginReply(steps: [steps[0]] + slow + steps.dropFirst(2))
    }

    /// The head alone, as `HEAD` is answered.
    var headOnly: OriginReply { OriginReply(steps: Array(steps.prefix(1))) }
}
