/// A message as it goes over the socket: in one piece, or, where it is a long list, in pieces that are made and encoded
/// one after the other.
package struct MessageParts<Message: Encodable & Sendable>: Sendable {
    /// How many elements of a list one piece has at most.
    package static var elementsMax: Int { 256 }

    private let count: Int
    private let part: @Sendable (Range<Int>) -> Message
    private var start: Int? = 0

    /// Whether all pieces were made.
    package var isOver: Bool { start == nil }

    /// The pieces of a list of so many elements.
    /// - Parameter part: the message for these elements. The last piece ends the message, all others say that more is
    ///   to come.
    init(_ count: Int, _ part: @escaping @Sendable (Range<Int>) -> Message) {
        self.count = count
        self.part = part
    }

    /// The next piece; nil behind the last one.
    /// - Parameter bytesMax: how long a piece may be, in bytes. One element goes as it is, however long.
    package mutating func next(bytesMax: Int) throws(Problem) -> [UInt8]? {
        guard let start else { return nil }
        var length = min(Self.elementsMax, count - start)
        while true {
            let end = start + length
            let bytes = try encodeMessage(part(start..<end))
            guard bytes.count > bytesMax, length > 1 else {
                self.start = end == count ? nil : end
                return bytes
            }
            length /= 2
        }
    }
}

extension ControlRequest {
    /// The messages that say it, each answered before the next is sent.
    package var parts: MessageParts<ControlRequest> {
        guard case .enqueue(let requests) = body else { return MessageParts(0) { _ in self } }
        return MessageParts(requests.count) { range in
            let part = Array(requests[range])
            return ControlRequest(range.upperBound == requests.count ? .enqueue(part) : .gather(part))
        }
    }
}

extension ControlResponse {
    /// The messages that say it, one behind the other.
    package var parts: MessageParts<ControlResponse> {
        switch self {
        case .enqueued(let answers): Self.parts(of: answers) { .enqueued($0) }
        case .acted(let answers): Self.parts(of: answers) { .acted($0) }
        case .rows(let rows): Self.parts(of: rows) { .rows($0) }
        case .library(.taken(let answers)): Self.parts(of: answers) { .library(.taken($0)) }
        case .status, .gathered, .part, .compacted, .reconciled, .redacted, .limited, .digest, .library, .end, .failed:
            MessageParts(0) { _ in self }
        }
    }

    private static func parts<Element: Sendable>(
        of list: [Element], _ response: @escaping @Sendable ([Element]) -> ControlResponse
    ) -> MessageParts<ControlResponse> {
        MessageParts(list.count) { range in
            let part = response(Array(list[range]))
            return range.upperBound == list.count ? part : .part(part)
        }
    }
}
