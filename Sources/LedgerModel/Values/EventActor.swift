/// Who caused an event.
package enum EventActor: UInt8, Hashable, Sendable, CaseIterable {
    case cli = 1
    case api = 2
    case worker = 3
    case feed = 4
    case maintenance = 5

    /// The name in rows, filters and answers.
    package var name: String {
        switch self {
        case .cli: "cli"
        case .api: "api"
        case .worker: "worker"
        case .feed: "feed"
        case .maintenance: "maintenance"
        }
    }
}
