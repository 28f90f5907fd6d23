import LedgerCoding
import LedgerModel
import Testing

/// A reader of the stream of events, frame by frame (WHATWG HTML, section 9.2).
final class FrameReader {
    /// A frame.
    struct Frame: Sendable {
        /// All of it.
        let text: String

        private func line(_ name: String) -> String? {
            text.split(separator: "\n").first { $0.hasPrefix(name + ": ") }.map { String($0.dropFirst(name.count + 2)) }
        }

        /// The number that a reader resumes after; nil when the frame has none.
        var id: UInt64? { line("id").flatMap { UInt64($0) } }
        /// What it is called; nil of a comment.
        var name: String? { line("event") }
        /// What it holds.
        var data: JSONValue {
            get throws { try JSONValue(parsing: Array((line("data") ?? "null").utf8)) }
        }
    }

    let wire: Wire
    private var held: [UInt8] = []

    /// A reader that has been answered.
    init(
        _ fixture: ServerFixture, after: UInt64? = nil, _ fields: [(String, String)] = [], readsNothing: Bool = false
    ) async throws {
        wire = try await fixture.connect(readsNothing: readsNothing)
        let query = after.map { "?after=\($0)" } ?? ""
        try await wire.send(fixture.head("GET", "/v1/events/stream" + query, fields))
        guard !readsNothing else { return }
        let head = try #require(try await wire.take { bytes, _ in try Answer.head(&bytes) })
        try #require(head.status == 200 && head["content-type"] == "text/event-stream")
    }

    /// The next frame; nil when the server ended the stream.
    func next() async throws -> Frame? {
        while true {
            if let end = held.firstRange(of: Array("\n\n".utf8)) {
                let text = String(decoding: held[..<end.lowerBound], as: UTF8.self)
                held.removeSubrange(..<end.upperBound)
                return Frame(text: text)
            }
            guard let chunk = try await wire.take({ bytes, _ in try Answer.chunk(&bytes) }), !chunk.isEmpty else {
                return nil
            }
            held += chunk
        }
    }

    /// The next frame of a name.
    func next(_ name: String) async throws -> Frame? {
        while let frame = try await next() { if frame.name == name { return frame } }
        return nil
    }

    /// The numbers of events up to one.
    func numbers(upTo last: UInt64) async throws -> [UInt64] {
        var numbers: [UInt64] = []
        while let frame = try await next() {
            if frame.name == "ledger", let id = frame.id { numbers.append(id) }
            if let id = frame.id, id >= last { break }
        }
        return numbers
    }

    /// Hangs up.
    func close() async throws { try await wire.close() }
}
