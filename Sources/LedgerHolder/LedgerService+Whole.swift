import LedgerAPI
import LedgerEngine
import LedgerModel

extension LedgerService {
    /// The requests, with the whole URLs where they name what was shown of a download without its secrets: a client
    /// that adds again what it was told asks for the same. Where no such download is on record, a URL stays as it is,
    /// and is refused.
    func whole(_ requests: [EnqueueRequest]) async throws(Problem) -> [EnqueueRequest] {
        var requests = requests
        for (index, request) in requests.enumerated() where Redaction.isIn(request.url) {
            let shown: ResourceURL
            do throws(URLProblem) { shown = try ResourceURL.parse(request.url).url } catch {
                // What is wrong with it is told when it becomes an order.
                continue
            }
            let orders = try await read { state in state.queue.downloads(from: shown).map(\.order) }
            for order in orders {
                guard let held = order.secret.flatMap(secrets.secrets(of:)), held.url != nil else { continue }
                requests[index].url = held.whole(request.url, of: order)
                requests[index].mirrors = request.mirrors.map { held.whole($0, of: order) }
                break
            }
        }
        return requests
    }
}

extension OrderSecrets {
    /// The whole URL that a text means: what was read from the log names the one whose secrets it lacks.
    func whole(_ text: String, of order: Order) -> String {
        let meant: ResourceURL.Parsed
        // Who takes the text says what is wrong with it.
        do throws(URLProblem) { meant = try ResourceURL.parse(text) } catch { return text }
        guard meant.userInformation == nil else { return text }
        if meant.url == order.url, let url { return url }
        guard let place = order.options.value.mirrors.firstIndex(of: meant.url), place < mirrors.count else {
            return text
        }
        return mirrors[place]
    }
}
