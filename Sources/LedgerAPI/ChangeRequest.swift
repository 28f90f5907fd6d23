package import LedgerModel

/// What is to be changed about downloads, as it was asked: not parsed yet. What is nil stays as it is.
package struct ChangeRequest: Hashable, Sendable, Codable {
    /// Another URL of the same entity; of one download only.
    package var url: String?
    /// Other URLs of the same entity, instead of all that there were; of one download only. One that reads like what is
    /// on record of a mirror, or of the URL, is that one, whatever secrets it has.
    package var mirrors: [String]?
    /// The highest rate in bytes a second; 0 for no limit.
    package var bytesPerSecondMax: UInt64?
    /// How often an attempt that failed for a passing reason is made again.
    package var retriesMax: UInt32?
    /// The longest silence in milliseconds.
    package var silenceMillisecondsMax: UInt32?
    /// How many ranges are fetched at once at most.
    package var rangesMax: UInt32?
    /// Higher comes first.
    package var priority: Int32?
    /// The hours of the day, as `HH:MM-HH:MM`; ``always`` for all of them.
    package var window: String?
    /// Not to be started before this instant; one that has passed is no wait.
    package var notBefore: Timestamp?
    /// Another group; empty for none.
    package var group: String?
    /// Another title; empty for none.
    package var title: String?
    /// Other words about it; empty for none.
    package var details: String?
    /// Other words to find it by, instead of all that there were.
    package var tags: [String]?
    /// Whether another ``url`` may not lead into a private network, nor anything that follows from it.
    package var refusesPrivateAddresses = false

    /// What ``window`` says for a download that may run at any hour.
    package static let always = "always"

    /// No change.
    package init() {}

    /// Whether nothing is to be changed.
    package var isEmpty: Bool {
        var change = self
        change.refusesPrivateAddresses = false
        return change == ChangeRequest()
    }

    /// The change, parsed, but for the URL: what goes along to that depends on the download.
    package func change() throws(RequestProblem) -> OrderChange {
        var change = OrderChange()
        change.bytesPerSecondMax = bytesPerSecondMax.map { $0 == 0 ? .unset : .set($0) }
        change.retriesMax = retriesMax
        change.silenceMillisecondsMax = silenceMillisecondsMax
        change.rangesMax = rangesMax.map { max(1, min($0, TransferOptions.rangesMax)) }
        change.priority = priority
        change.notBefore = notBefore
        try EnqueueRequest.check(Labels(group: group, title: title, details: details, tags: tags ?? []))
        change.labels.group = group.map(Self.setting)
        change.labels.title = title.map(Self.setting)
        change.labels.details = details.map(Self.setting)
        change.labels.tags = tags?.filter { !$0.isEmpty }
        if let window {
            guard window != Self.always else {
                change.window = .unset
                return change
            }
            guard let parsed = DailyWindow(parsing: window) else { throw .window(window) }
            change.window = .set(parsed)
        }
        return change
    }

    private static func setting(_ text: String) -> OrderChange.Setting<String> { text.isEmpty ? .unset : .set(text) }
}

extension OrderSecrets {
    /// What goes along when an order is sent to another URL: what was bound to the old origin goes to no other one.
    ///
    /// - Parameters:
    ///   - url: the new URL; `user:password@` in it is taken as credentials.
    ///   - order: the order as it was.
    ///   - secrets: its secrets.
    ///   - refusesPrivateAddresses: whether it may not lead into a private network.
    /// - Returns: the source without the name of its secrets, and the secrets.
    package static func moved(
        to url: String, _ order: Order, _ secrets: OrderSecrets, refusesPrivateAddresses: Bool = false
    ) throws(RequestProblem) -> (source: OrderChange.Source, secrets: OrderSecrets) {
        let parsed = try EnqueueRequest.parse(url)
        if refusesPrivateAddresses { try EnqueueRequest.confine(parsed.url) }
        if let credentials = parsed.credentials { try EnqueueRequest.check(credentials) }
        var secrets = secrets
        secrets.url = parsed.url.redacted == parsed.url ? nil : parsed.url.text
        if !parsed.url.hasOrigin(of: order.url) {
            (secrets.credentials, secrets.bearer, secrets.headers) = (nil, nil, [])
        }
        if let credentials = parsed.credentials { (secrets.credentials, secrets.bearer) = (credentials, nil) }
        var source = OrderChange.Source(url: parsed.url.redacted, headerNames: secrets.headers.map(\.name))
        source.refusesPrivateAddresses = refusesPrivateAddresses
        return (source, secrets)
    }
}
