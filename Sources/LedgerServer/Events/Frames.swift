import LedgerCoding
import LedgerModel
import LedgerViews
import NIOCore

/// Frames of server-sent events (WHATWG HTML, section 9.2).
enum Frames {
    /// A frame that says it is still there.
    static let keepAlive = ByteBuffer(string: ": keep-alive\n\n")

    /// A frame with a name and data, and with a number when a reader can resume after it.
    static func frame(_ name: String, _ data: JSONValue, id: SequenceNumber? = nil) -> ByteBuffer {
        let head = id.map { "id: \($0)\n" } ?? ""
        return ByteBuffer(string: head + "event: \(name)\ndata: \(data)\n\n")
    }

    /// The frame of an event.
    static func frame(_ event: Recorded) -> ByteBuffer { frame("ledger", json(event), id: event.sequence) }

    /// An event as `replay --json` prints it, and in words.
    static func json(_ event: Recorded) -> JSONValue {
        guard case .object(var object) = event.json else { return event.json }
        let words = EventLine.details(event.event)
        object["text"] = words.isEmpty ? nil : .string(words)
        return .object(object)
    }
}
