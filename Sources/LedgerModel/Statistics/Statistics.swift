/// What was done, by host and by day.
package struct Statistics: Hashable, Sendable {
    /// How many hosts are counted apart; those seen first after that are counted together under `other`.
    package static let hostsMax = 10_000
    /// The name under which hosts are counted together.
    static let otherHosts = "other"

    /// Figures of one host, one day, or all.
    package struct Figures: Hashable, Sendable {
        /// Orders accepted.
        package var enqueued: UInt64 = 0
        /// Files completed.
        package var completed: UInt64 = 0
        /// Bytes of those files.
        package var bytes: UInt64 = 0
        /// Attempts that failed.
        package var failures: UInt64 = 0

        /// Nothing done.
        package init() {}

        /// Adds those of another.
        mutating func add(_ other: Figures) {
            enqueued += other.enqueued
            completed += other.completed
            bytes += other.bytes
            failures += other.failures
        }

        /// Figures given one by one, as a snapshot holds them.
        package init(enqueued: UInt64, completed: UInt64, bytes: UInt64, failures: UInt64) {
            self.enqueued = enqueued
            self.completed = completed
            self.bytes = bytes
            self.failures = failures
        }
    }

    /// Since the first event.
    package var total = Figures()
    /// By host.
    package var hosts: [String: Figures] = [:]
    /// By day: days since 1970-01-01 in UTC.
    package var days: [Int32: Figures] = [:]

    /// Nothing done.
    package init() {}

    /// Takes an event into account that is about a download from `url`.
    package mutating func update(_ event: Recorded, _ url: ResourceURL) {
        switch event.event {
        case .enqueued: count(event, url) { $0.enqueued += 1 }
        case .failed(let failure, _) where failure.endsAttempt: count(event, url) { $0.failures += 1 }
        case .completed(let identity):
            count(event, url) {
                $0.completed += 1
                $0.bytes += identity.length
            }
        case .failed, .resolved, .progressed, .verified, .paused, .resumed, .cancelled, .retried, .moved, .changed,
            .deleted, .restored, .missing, .altered, .found, .compacted, .checkpointed, .repaired, .redacted, .blamed,
            .rechecked, .unchanged, .used, .pinned, .library:
            break
        }
    }

    /// Counts what was done with a host under none, for its name is not to be known any longer.
    mutating func forget(host: String) {
        guard host != Self.otherHosts, let figures = hosts.removeValue(forKey: host) else { return }
        hosts[Self.otherHosts, default: Figures()].add(figures)
    }

    private mutating func count(_ event: Recorded, _ url: ResourceURL, _ change: (inout Figures) -> Void) {
        let host = url.host
        change(&total)
        if let place = hosts.index(forKey: host) {
            change(&hosts.values[place])
        } else {
            change(&hosts[hosts.count < Self.hostsMax ? host : Self.otherHosts, default: Figures()])
        }
        change(&days[event.time.day, default: Figures()])
    }
}
