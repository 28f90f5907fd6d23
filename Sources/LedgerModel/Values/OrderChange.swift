/// What of an order is to become something else; what is nil stays as it is.
package struct OrderChange: Hashable, Sendable {
    /// Where the entity is from now on.
    package struct Source: Hashable, Sendable {
        /// The URL as it may be written down.
        package var url: ResourceURL
        /// Names the secrets of the order from now on; nil when it has none.
        package var secret: SecretReference?
        /// The headers that are still sent.
        package var headerNames: [String]
        /// Whether nothing inside a private network may be reached from now on; else it stays as it was.
        package var refusesPrivateAddresses = false

        /// A source with every field given.
        package init(url: ResourceURL, secret: SecretReference? = nil, headerNames: [String] = []) {
            self.url = url
            self.secret = secret
            self.headerNames = headerNames
        }
    }

    /// A value for something that need not have one.
    package enum Setting<Value: Hashable & Sendable>: Hashable, Sendable {
        /// It has none from now on.
        case unset
        case set(Value)

        var value: Value? {
            switch self {
            case .unset: nil
            case .set(let value): value
            }
        }
    }

    /// What a download is called and found by from now on.
    package struct LabelChange: Hashable, Sendable {
        /// Another group.
        package var group: Setting<String>?
        /// Another title.
        package var title: Setting<String>?
        /// Other words about it.
        package var details: Setting<String>?
        /// Other words to find it by, instead of all that there were.
        package var tags: [String]?

        /// No change.
        package init() {}

        func applied(to labels: Labels) -> Labels {
            var labels = labels
            if let group { labels.group = group.value }
            if let title { labels.title = title.value }
            if let details { labels.details = details.value }
            labels.tags = tags ?? labels.tags
            return labels
        }
    }

    /// Another URL, with the secrets that go there.
    package var source: Source?
    /// Other URLs of the same entity, instead of all that there were.
    package var mirrors: [ResourceURL]?
    /// Another highest rate in bytes a second.
    package var bytesPerSecondMax: Setting<UInt64>?
    /// How often an attempt that failed for a passing reason is made again.
    package var retriesMax: UInt32?
    /// The longest silence in milliseconds.
    package var silenceMillisecondsMax: UInt32?
    /// How many ranges are fetched at once at most.
    package var rangesMax: UInt32?
    /// Other hours of the day.
    package var window: Setting<DailyWindow>?
    /// Another instant before which it is not started; one that has passed is no wait.
    package var notBefore: Timestamp?
    /// Another priority, last among its equals.
    package var priority: Int32?

    /// Other labels.
    package var labels = LabelChange()

    /// No change.
    package init() {}

    /// Whether nothing else changes than labels, which files that are there have too.
    var isOfLabels: Bool {
        var others = self
        others.labels = LabelChange()
        return others == OrderChange() && self != others
    }

    /// Whether a worker that fetches what an order asks for has to begin anew after the change.
    package func interrupts(_ order: Order) -> Bool { !order.mayGoOn(as: applied(to: order)) }

    /// The order as it is after the change.
    func applied(to order: Order) -> Order {
        var (order, options) = (order, order.options.value)
        if let source {
            // Who we are to one origin is no other's business.
            if !source.url.hasOrigin(of: order.url) {
                (options.clientCertificateFile, options.clientKeyFile) = (nil, nil)
            }
            order.url = source.url
            order.secret = source.secret
            options.headerNames = source.headerNames
            if source.refusesPrivateAddresses { options.refusesPrivateAddresses = true }
        }
        options.mirrors = mirrors ?? options.mirrors
        if let bytesPerSecondMax { options.bytesPerSecondMax = bytesPerSecondMax.value }
        options.retriesMax = retriesMax ?? options.retriesMax
        options.silenceMillisecondsMax = silenceMillisecondsMax ?? options.silenceMillisecondsMax
        options.rangesMax = rangesMax ?? options.rangesMax
        if let window { options.window = window.value }
        options.notBefore = notBefore ?? options.notBefore
        if options != order.options.value { order.options = Shared(options) }
        let labels = labels.applied(to: order.labels.value)
        if labels != order.labels.value { order.labels = labels == Labels() ? Labels.none : Shared(labels) }
        return order
    }
}

extension Order {
    /// Whether nothing but labels differs.
    func isSame(butForLabels other: Order) -> Bool {
        var other = other
        other.labels = labels
        return self == other
    }

    /// Whether a transfer may go on when this becomes another order: all that differs is labels, limits, which it takes
    /// up on its way or at its next attempt, and hours, which the plan minds.
    func mayGoOn(as other: Order) -> Bool {
        func withoutLimits(_ order: Order) -> Order {
            var (order, options) = (order, order.options.value)
            options.bytesPerSecondMax = nil
            options.retriesMax = nil
            options.silenceMillisecondsMax = nil
            options.rangesMax = nil
            options.window = nil
            order.labels = Labels.none
            order.options = Shared(options)
            return order
        }
        return withoutLimits(self) == withoutLimits(other)
    }
}
