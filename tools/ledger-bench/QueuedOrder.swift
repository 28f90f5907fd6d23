import LedgerEngine
import LedgerModel

/// The orders of a long queue: each for a URL of its own, of as many bytes, at one of a hundred hosts.
enum QueuedOrder {
    private static let hosts = 100
    private static let urlBytes = 80
    private static let padding = String(repeating: "-", count: urlBytes)

    /// The command that enqueues the order of a number.
    static func command(_ number: Int) -> Command {
        let start = "https://files\(number % hosts).example.org/a/place/of/files/"
        let digits = String(number)
        let rest = max(0, urlBytes - start.utf8.count - digits.utf8.count)
        let url = ResourceURL(recorded: start + padding.prefix(rest) + digits)
        return .enqueue(
            Order(url: url, destination: Destination(directory: "/srv/files", name: nil)), priority: 0, again: false)
    }

    /// Decides the order of a number and folds what follows, in memory alone.
    static func enqueue(_ number: Int, into state: inout LedgerState) throws {
        let now = Timestamp(milliseconds: Int64(number))
        for proposed in try state.decide(command(number), at: now).events {
            state.apply(Recorded(proposed, as: state.sequence.next, at: now, command: nil, actor: .cli))
        }
    }
}
