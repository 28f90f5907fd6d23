import HTTPTypes
import LedgerAPI

extension HTTPRequest {
    /// Whether the head announces a body of more bytes than there may be.
    func announcesMore(than bytesMax: Int) -> Bool {
        guard let length = headerFields[.contentLength] else { return false }
        return UInt64(length).map { $0 > UInt64(bytesMax) } ?? true
    }
}

extension Refusal {
    /// A refusal of a body of more bytes than there may be, whether it came or was announced; what comes of it is not
    /// waited for.
    static func tooLong(bytesMax: Int) -> Refusal {
        Refusal(
            .contentTooLarge,
            Problem(
                .usage, "the body is longer than \(bytesMax) bytes",
                next: "send it in parts, for example 10,000 downloads at a time", exitCode: .usage),
            fields: [.connection: "close"])
    }
}
