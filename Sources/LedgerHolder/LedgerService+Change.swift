import LedgerAPI
import LedgerEngine
import LedgerModel

extension LedgerService {
    /// What is to be changed, parsed. Secrets that go to another URL are kept until they are released.
    func orderChange(
        _ request: ChangeRequest, of chosen: [(id: DownloadID, Download?)]
    ) async throws(Problem) -> OrderChange {
        var change: OrderChange
        do throws(RequestProblem) { change = try request.change() } catch { throw Problem(error) }
        guard let url = request.url else { return change }
        guard chosen.count == 1 else { throw Problem(.oneURL(downloads: chosen.count)) }
        // A download that is not there is refused with that reason.
        guard let order = chosen[0].1?.order else { return change }
        let held = order.secret.flatMap(secrets.secrets(of:)) ?? OrderSecrets()
        let moved: (source: OrderChange.Source, secrets: OrderSecrets)
        do throws(RequestProblem) { moved = try OrderSecrets.moved(to: url, order, held) } catch {
            throw Problem(error)
        }
        change.source = moved.source
        change.source?.secret = try await keep([moved.secrets])[0]
        return change
    }
}
