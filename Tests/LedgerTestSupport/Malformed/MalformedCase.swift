package import LedgerModel
import LedgerTransfer

/// A download whose origin answers well, but for what a ``Mutator`` did to an answer. Seed and number make all of it.
package struct MalformedCase: Sendable {
    /// What the origin answers before it is spoilt.
    package enum Kind: String, CaseIterable, Sendable {
        /// The whole by its length, by its chunks, or by the end of the connection.
        case length, chunked, closing
        /// Nothing, which is a file too.
        case empty
        /// A name beside the bytes; bytes in a content coding.
        case named, encoded
        /// A redirect, an interim answer, a refusal first.
        case redirected, interim, refused
        /// A body that is cut in order, and then the rest of it.
        case continued
        /// The rest of what is held; nothing, because all of it is held; several parts; another entity now.
        case resumed, held, multipart, changed
    }

    /// The seed of the whole sweep.
    package static let seed: UInt64 = 20_260_302

    /// The seed it was made from.
    package let seed: UInt64
    /// Its number in the sweep.
    package let number: Int
    /// What the origin answers.
    package let kind: Kind
    /// What a healthy origin serves.
    package let entity: OriginEntity
    /// What a part holds from before, of the entity of ``heldTag``; empty for no part.
    package let heldBytes: [UInt8]
    /// The tag of what is held.
    package let heldTag = "\"v1\""
    /// The length that is on record of what is held.
    package let heldTotal: UInt64?
    /// The sum that the order states; nil for half of the cases.
    package let expected: Digest?
    private let spoilsEverything: Bool
    private let spoilt: Int

    /// The case of a number.
    package init(seed: UInt64 = MalformedCase.seed, number: Int) {
        self.seed = seed
        self.number = number
        var generator = SplitMix64(seed: seed ^ (UInt64(number) &* 0x9E37_79B9_7F4A_7C15))
        kind = Kind.allCases[Int.random(in: 0..<Kind.allCases.count, using: &generator)]
        let sizes = [1, 200, 3000, 3000, 9000, 70_000]
        let count = kind == .empty ? 0 : sizes[Int.random(in: 0..<sizes.count, using: &generator)]
        var bytes = OriginEntity.pattern(count, seed: generator.next())
        let cut = count > 1 ? Int.random(in: 1..<count, using: &generator) : 0
        switch kind {
        case .resumed, .multipart: (heldBytes, heldTotal) = (Array(bytes.prefix(cut)), UInt64(count))
        case .held: (heldBytes, heldTotal) = (bytes, nil)
        case .changed:
            (heldBytes, heldTotal) = (Array(bytes.prefix(cut)), UInt64(count))
            bytes = OriginEntity.pattern(count, seed: generator.next())
        case .length, .chunked, .closing, .empty, .named, .encoded, .redirected, .interim, .refused, .continued:
            (heldBytes, heldTotal) = ([], nil)
        }
        var entity = OriginEntity(bytes, entityTag: kind == .changed ? "\"v2\"" : heldTag)
        if Bool.random(using: &generator) { entity.lastModified = "Mon, 02 Mar 2026 10:00:00 GMT" }
        if kind.isFresh, Int.random(in: 0..<4, using: &generator) == 0 { entity.entityTag = nil }
        entity.obeysIfRange = Int.random(in: 0..<4, using: &generator) > 0
        self.entity = entity
        let digest = RunningDigest(stated: nil)
        unsafe digest.absorb(bytes.span.bytes, at: 0)
        expected = Bool.random(using: &generator) ? digest.finish().sha256 : nil
        spoilsEverything = Int.random(in: 0..<6, using: &generator) == 0
        spoilt = kind == .continued || kind == .redirected && Bool.random(using: &generator) ? 1 : 0
    }

    /// The path on its origin.
    package var path: String { "/\(number)/file.bin" }
    /// Where its redirect leads to.
    package var target: String { "/\(number)/there/file.bin" }

    /// What the origin sends for the `count`-th request of an attempt, counted from 0, and what was done to it.
    package func sends(to request: OriginRequest, count: Int) -> (bytes: [UInt8], end: End, notes: [String]) {
        let answer = self.answer(to: request, count: count)
        guard spoilsEverything || count == spoilt else { return (answer.wire.bytes, answer.end, []) }
        var mutator = Mutator(SplitMix64(seed: seed &+ UInt64(number) &* 1_000_003 &+ UInt64(count)))
        let bytes = mutator.mutated(answer.wire)
        let end: End =
            switch Int.random(in: 0..<24, using: &mutator.generator) {
            case 0: .stall
            case 1, 2: .reset
            case 3...8 where answer.end == .keep: .keep
            default: .close
            }
        return (bytes, end, mutator.notes)
    }

    /// What a healthy origin sends.
    package func sendsInOrder(to request: OriginRequest) -> [UInt8] {
        let response = entity.response(to: request)
        return Self.wire(response.status, response.fields, response.body).bytes
    }

    /// What becomes of the connection behind an answer.
    package enum End: Sendable { case keep, close, reset, stall }
}

extension MalformedCase.Kind {
    /// Whether nothing is held before.
    fileprivate var isFresh: Bool {
        switch self {
        case .length, .chunked, .closing, .empty, .named, .encoded, .redirected, .interim, .refused, .continued: true
        case .resumed, .held, .multipart, .changed: false
        }
    }
}

extension MalformedCase {
    private static func wire(_ status: Int, _ fields: [(String, String)], _ body: [UInt8]) -> WireAnswer {
        WireAnswer(status, fields + [("Content-Length", String(body.count))], body: [.data(body)])
    }

    private func answer(to request: OriginRequest, count: Int) -> (wire: WireAnswer, end: End) {
        let (status, fields, body) = entity.response(to: request)
        switch kind {
        case .length, .empty, .resumed, .held, .changed: break
        case .chunked:
            let pieces = WireAnswer.chunked(body, chunkBytesMax: 1 + Int(seed ^ UInt64(number)) % 1500)
            return (WireAnswer(status, fields + [("Transfer-Encoding", "chunked")], body: pieces), .keep)
        case .closing:
            return (WireAnswer(status, fields + [("Connection", "close")], body: [.data(body)]), .close)
        case .named:
            let name = ("Content-Disposition", "attachment; filename=\"a b.bin\"; filename*=UTF-8''%e2%82%ac.bin")
            return (Self.wire(status, fields + [name], body), .keep)
        case .encoded: return (Self.wire(status, fields + [("Content-Encoding", "gzip")], body), .keep)
        case .redirected where request.path == path:
            return (Self.wire(302, [("Location", "there/file.bin")], Array("moved".utf8)), .keep)
        case .redirected: break
        case .interim:
            var wire = Self.wire(status, fields, body)
            wire.ahead = Array("HTTP/1.1 103 Early Hints\r\nLink: </x>; rel=preload\r\n\r\n".utf8)
            return (wire, .keep)
        case .refused where count == 0 && request.rangeStart == nil:
            return (Self.wire(503, [("Retry-After", "7"), ("Content-Type", "text/html")], Array("later".utf8)), .keep)
        case .refused: break
        case .continued where count == 0:
            var wire = Self.wire(status, fields, body)
            wire.body = [.data(Array(body.prefix(max(1, body.count / 2))))]
            return (wire, .close)
        case .continued: break
        case .multipart where status == 206:
            let range = fields.last { $0.0 == "Content-Range" }?.1 ?? ""
            let part = "--x\r\nContent-Range: \(range)\r\n\r\n"
            let parts = Array(part.utf8) + body + Array("\r\n--x--\r\n".utf8)
            let others = fields.filter { $0.0 != "Content-Range" && $0.0 != "Content-Type" }
            return (Self.wire(206, others + [("Content-Type", "multipart/byteranges; boundary=x")], parts), .keep)
        case .multipart: break
        }
        return (Self.wire(status, fields, body), .keep)
    }
}
