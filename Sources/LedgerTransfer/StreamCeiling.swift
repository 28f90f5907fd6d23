/// How many streams a place serves beside each other, as its refusals told. One more is tried after a while, for what
/// is busy now need not be so for as long as a large file takes. A value: the time comes in by the door.
package struct StreamCeiling: Hashable, Sendable {
    /// How long it is before one more is tried; twice as long each time that is refused again.
    package static let restMin = Duration.seconds(30)
    /// How long it is before the next is tried behind one that is served again.
    package static let restServed = Duration.seconds(5)
    /// As long as this at most, unless the place itself asked for more.
    package static let restMax = Duration.seconds(600)

    private var streams = Int.max
    /// How long the last refusal was waited out; nil where none came since one more was served.
    private var rest: Duration?
    /// When one more is tried; nil for never.
    private var due: Duration?
    /// Whether a refusal stands for as long as this is remembered.
    private var isFinal = false
    /// When the last of it was learned.
    private var learned: Duration?

    /// Nothing was refused.
    package init() {}

    /// How many there may be at an uptime.
    package func streamsMax(at now: Duration) -> Int {
        guard let due, now >= due else { return streams }
        return streams + 1
    }

    /// One more than `running` was refused.
    /// - Parameter wait: how long the place asked to be left alone; nil where it will refuse again.
    package mutating func refused(running: Int, at now: Duration, wait: Duration?) {
        // Several that were refused together were tried once.
        if let last = rest, let due, now >= due { rest = min(last * 2, Self.restMax) }
        let rest = rest ?? Self.restMin
        self.rest = rest
        streams = min(streams, running)
        learned = now
        isFinal = isFinal || wait == nil
        due = isFinal ? nil : max(due ?? .zero, now + max(rest, wait ?? .zero))
    }

    /// One more was served, which makes so many.
    package mutating func served(_ running: Int, at now: Duration) {
        guard running > streams, !isFinal else { return }
        (streams, rest) = (running, nil)
        due = now + Self.restServed
        learned = now
    }

    /// Whether it was learned later than another one of the same place.
    package func isNewer(than other: StreamCeiling) -> Bool {
        guard let learned else { return false }
        return other.learned.map { $0 < learned } ?? true
    }
}
