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
        /// Bytes of those files; see ``Catalog/Usage``.
        package var bytes: UInt64 = 0
        /// Attempts that failed.
        package var failures: UInt64 = 0

        /// Nothing done.
        package init() {}

        /// Adds those of another.
        mutating func add(_ other: Figures) {
            enqueued += other.enqueued
            completed += other.completed
            bytes &+= other.bytes
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
    package private(set) var total = Figures()
    /// By host.
    package private(set) var hosts: [String: Figures] = [:]
    /// By day: days since 1970-01-01 in UTC.
    package private(set) var days: [Int32: Figures] = [:]
    /// Where hosts stand in ``hosts``: a function of them.
    private var places = AuthorityCache<[String: Figures].Index>(countMax: 256)

    /// Nothing done.
    package init() {}

    /// Figures as a snapshot holds them.
    package init(total: Figures, hosts: [String: Figures], days: [Int32: Figures]) {
        (self.total, self.hosts, self.days) = (total, hosts, days)
    }

    /// Takes an event into account that is about a download from `url`.
    package mutating func update(_ event: Recorded, _ url: ResourceURL) {
        switch event.event {
        case .enqueued: count(event, url) { $0.enqueued += 1 }
        case .failed(let failure, _) where failure.endsAttempt: count(event, url) { $0.failures += 1 }
        case .completed(let identity):
            count(event, url) {
                $0.completed += 1
                $0.bytes &+= identity.length
            }
        case .failed, .resolved, .progressed, .verified, .paused, .resumed, .cancelled, .retried, .moved, .changed,
            .deleted, .restored, .missing, .altered, .found, .compacted, .checkpointed, .repaired, .redacted, .blamed,
            .rechecked, .unchanged, .used, .pinned, .relocated, .library:
            break
        }
    }

    /// Counts what was done with a host under none, for its name is not to be known any longer.
    mutating func forget(host: String) {
        guard host != Self.otherHosts, let figures = hosts.removeValue(forKey: host) else { return }
        hosts[Self.otherHosts, default: Figures()].add(figures)
        places.removeAll()
    }

    private mutating func count(_ event: Recorded, _ url: ResourceURL, _ change: (inout Figures) -> Void) {
        change(&total)
        change(&hosts.values[place(of: url)])
        change(&days[event.time.day, default: Figures()])
    }

    /// Where the figures of a URL's host stand.
    private mutating func place(of url: ResourceURL) -> [String: Figures].Index {
        if let place = places[url] { return place }
        let host = url.host
        let name = hosts[host] != nil || hosts.count < Self.hostsMax ? host : Self.otherHosts
        if hosts[name] == nil {
            hosts[name] = Figures()
            // Those before may stand elsewhere now.
            places.removeAll()
        }
        guard let place = hosts.index(forKey: name) else { preconditionFailure("the host was just added") }
        places[url] = place
        return place
    }

    package static func == (one: Statistics, other: Statistics) -> Bool {
        one.total == other.total && one.hosts == other.hosts && one.days == other.days
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(total)
        hasher.combine(hosts)
        hasher.combine(days)
    }
}
