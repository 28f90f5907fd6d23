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
        guard request.url != nil || request.mirrors != nil else { return change }
        guard chosen.count == 1 else { throw Problem(.oneURL(downloads: chosen.count)) }
        // A download that is not there is refused with that reason.
        guard let order = chosen[0].1?.order else { return change }
        let held = order.secret.flatMap(secrets.secrets(of:)) ?? OrderSecrets()
        var moved = (source: OrderChange.Source(order), secrets: held)
        do throws(RequestProblem) {
            if let url = request.url {
                moved = try OrderSecrets.moved(
                    to: held.whole(url, of: order), order, held,
                    refusesPrivateAddresses: request.refusesPrivateAddresses)
            }
            if let mirrors = request.mirrors {
                let isConfined = request.refusesPrivateAddresses || order.options.value.refusesPrivateAddresses
                change.mirrors = try moved.secrets.takeMirrors(mirrors, of: order, held, isConfined: isConfined)
            }
        } catch { throw Problem(error) }
        guard request.url != nil || moved.secrets != held else { return change }
        change.source = moved.source
        change.source?.secret = try await keep([moved.secrets])[0]
        return change
    }
}

extension OrderChange.Source {
    /// Where an order's entity is now.
    fileprivate init(_ order: Order) {
        self.init(url: order.url, secret: order.secret, headerNames: order.options.value.headerNames)
    }
}

extension OrderSecrets {
    /// Takes other URLs of the entity instead of those that there were; returns them as they may be written down.
    fileprivate mutating func takeMirrors(
        _ texts: [String], of order: Order, _ held: OrderSecrets, isConfined: Bool
    ) throws(RequestProblem) -> [ResourceURL] {
        var whole: [ResourceURL.Parsed] = []
        for text in texts { whole.append(try EnqueueRequest.parsedSource(held.whole(text, of: order), isConfined)) }
        let shown = whole.map(\.url.redacted)
        mirrors = shown.map(\.text) == whole.map(\.text) ? [] : whole.map(\.text)
        return shown
    }
}

extension EnqueueRequest {
    /// A URL of an entity, parsed and checked.
    fileprivate static func parsedSource(
        _ text: String, _ isConfined: Bool
    ) throws(RequestProblem) -> ResourceURL.Parsed {
        // The request knows what is wrong with a URL, and which may not be reached.
        var request = EnqueueRequest(url: text, directory: "/", command: CommandID(high: 0, low: 0))
        request.refusesPrivateAddresses = isConfined
        _ = try request.order()
        do throws(URLProblem) { return try ResourceURL.parse(text) } catch { throw .url(text, error) }
    }
}
