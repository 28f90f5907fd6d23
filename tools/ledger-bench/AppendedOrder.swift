import LedgerAPI
import LedgerCoding
import LedgerModel

/// Orders whose events take about as many bytes in the log as were asked for: the rest of them is the URL.
struct AppendedOrder: Sendable {
    /// Digits of a number in a URL, so that all are of one length.
    private static let digits = 12
    private static let directory = "/srv/files"
    /// Far in the future: whoever holds the ledger keeps it in the queue, and fetches nothing.
    private static let notBefore = Timestamp(milliseconds: 7_226_582_400_000)

    private let start: String

    /// Orders whose payloads have so many bytes.
    /// - Parameter asRequest: whether each goes over the socket: with a name, and put off.
    init(payloadBytes: Int, asRequest: Bool) {
        let bare = "http://127.0.0.1:9/"
        let number = String(repeating: "0", count: Self.digits)
        var order = Order(
            url: ResourceURL(recorded: bare + number), destination: Destination(directory: Self.directory, name: nil))
        if asRequest {
            var options = TransferOptions()
            options.notBefore = Self.notBefore
            order.options = Shared(options)
        }
        let payload = EventCoding.encode(
            id: nil, command: asRequest ? CommandID(high: .max, low: .max) : nil, actor: .cli,
            event: .enqueued(order, priority: 0, rank: 1_000_000 * Queue.rankStep)
        ).payload
        start = bare + String(repeating: "x", count: max(0, payloadBytes - payload.count))
    }

    private func url(_ number: Int) -> String {
        let text = String(number)
        return start + String(repeating: "0", count: max(0, Self.digits - text.utf8.count)) + text
    }

    /// The order of a number: another for another one.
    func order(_ number: Int) -> Order {
        Order(
            url: ResourceURL(recorded: url(number)), destination: Destination(directory: Self.directory, name: nil))
    }

    /// The same as a request.
    func request(_ number: Int, command: CommandID) -> EnqueueRequest {
        var request = EnqueueRequest(url: url(number), directory: Self.directory, command: command)
        request.notBefore = Self.notBefore
        return request
    }
}
