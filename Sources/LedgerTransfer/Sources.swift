import LedgerModel

/// What one attempt knows of the places that serve its entity: the order's URL and its mirrors.
struct Sources: Sendable {
    /// One place.
    struct Source: Sendable {
        /// Its URL with its secrets.
        let entry: Assignment.Mirror
        /// Whether an origin named it, and not the order.
        var isLearned = false
        /// Its own validator, once it answered; the entity tags of two servers differ for the same bytes.
        var validator: Validator?
        /// The way to where it gave what is held, after redirects; nil until it answered in this attempt.
        var way: Approach?
        /// How many streams it serves now.
        var streams = 0
        /// How many it serves at most, once it refused one more.
        var ceiling = StreamCeiling()
        /// Whether it is asked no more in this attempt.
        var isDropped = false
    }

    /// The most places that are known of at once; those that are learned of beyond it are passed over.
    static let placesMax = 128

    private(set) var all: [Source]
    private let blamed: Set<ResourceURL>

    /// The sources of an assignment. One on record as wrong is left out, unless every one is.
    init(_ assignment: Assignment) {
        let entries = [Assignment.Mirror(assignment.url, credentials: assignment.credentials)] + assignment.mirrors
        all = entries.map { Source(entry: $0) }
        blamed = Set(assignment.blamed)
        let wrong = all.indices.filter { [blamed] in blamed.contains(all[$0].entry.url.redacted) }
        if wrong.count < all.count { for index in wrong { all[index].isDropped = true } }
    }

    /// The source whose bytes a part of this origin holds: the one at the same URL, else the only one at the same
    /// place. Nil when that can not be told, as after a redirect to a place of its own.
    func giver(of origin: Origin) -> Int? {
        if all.count == 1 { return 0 }
        let asked = origin.source ?? origin.url
        if let same = usable.first(where: { all[$0].entry.url.redacted == asked }) { return same }
        guard origin.source == nil else { return nil }
        let near = all.indices.filter { all[$0].entry.url.hasOrigin(of: origin.url) }
        return near.count == 1 ? near.first.flatMap { all[$0].isDropped ? nil : $0 } : nil
    }

    /// Those that are still asked, in the order's order.
    var usable: [Int] { all.indices.filter { !all[$0].isDropped } }

    /// The source for one more stream: the least busy that takes one; `only` names the one that may be asked.
    func next(only: Int?, at now: Duration) -> Int? {
        usable.filter { (only == nil || $0 == only) && all[$0].streams < all[$0].ceiling.streamsMax(at: now) }
            .min { (all[$0].streams, $0) < (all[$1].streams, $1) }
    }

    /// The way to a source, from its beginning.
    func approach(to source: Int, of assignment: Assignment, settings: TransferSettings) -> Approach {
        Approach(
            to: all[source].entry, isLearned: all[source].isLearned, of: assignment, settings: settings)
    }

    /// The way to the place that this record of an earlier attempt names; nil unless the source led there then, which
    /// one that took its place did not, and where secrets are left out of the record. Only what stands at another
    /// origin is asked for so, where none of ours go along unless the user has them forwarded anywhere.
    func way(backTo origin: Origin, of source: Int, _ assignment: Assignment, settings: TransferSettings) -> Approach? {
        var way = approach(to: source, of: assignment, settings: settings)
        let place = origin.url
        guard origin.source == way.entry.url.redacted, !place.hasOrigin(of: way.url),
            !Redaction.isIn(place.text)
        else { return nil }
        do throws(Failure) { try way.redirect(to: place.text, status: 302, setting: nil) } catch { return nil }
        return way
    }

    /// Learns by which way a source gave what is held; nil when that was no way, for it gave it itself.
    mutating func learn(_ way: Approach?, of source: Int) { all[source].way = way }

    /// A stream begins.
    mutating func begin(_ source: Int) { all[source].streams += 1 }

    /// A stream is over.
    mutating func end(_ source: Int) { all[source].streams -= 1 }

    /// A source does not serve more streams than `running`.
    /// - Parameter wait: how long it asked to be left alone; nil where it will refuse again.
    mutating func refused(_ source: Int, running: Int, at now: Duration, wait: Duration?) {
        all[source].ceiling.refused(running: running, at: now, wait: wait)
    }

    /// Another entity is fetched: what was refused of the one before says nothing of it.
    mutating func beginAnew() { for source in all.indices { all[source].ceiling = StreamCeiling() } }

    /// A source serves the last of its streams, too.
    mutating func served(_ source: Int, at now: Duration) {
        all[source].ceiling.served(all[source].streams, at: now)
    }

    /// A source is asked no more.
    mutating func drop(_ source: Int) { all[source].isDropped = true }

    /// A source is asked again.
    mutating func takeUp(_ source: Int) { all[source].isDropped = false }

    /// Learns a source's own validator.
    mutating func learn(_ validator: Validator?, of source: Int) {
        if all[source].validator == nil { all[source].validator = validator }
    }

    /// Adds places that were learned of on the way, but those on record as wrong; they get no secrets.
    mutating func add(_ urls: [ResourceURL]) {
        let known = Set(all.map(\.entry.url.text))
        for url in urls where !known.contains(url.text) && !blamed.contains(url.redacted) {
            guard all.count < Self.placesMax else { return }
            all.append(Source(entry: Assignment.Mirror(url), isLearned: true))
        }
    }
}
