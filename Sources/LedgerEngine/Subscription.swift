package import LedgerModel
import LedgerSystem

/// The events of a ledger from any point on, one element for each committed batch (or for each stretch read from the
/// log), without a gap and without an end until the ledger is closed or the task is cancelled.
package struct Subscription: AsyncSequence, Sendable {
    /// A committed batch, or a stretch of the log.
    package typealias Element = [Recorded]
    /// Why a follower can not go on.
    package typealias Failure = LedgerError

    /// How many events are handed over at once at most, unless told otherwise.
    package static let pageEventsMax = 4096

    let hub: EventHub
    let log: EventSource
    let after: SequenceNumber
    var name: String?
    /// How many events are handed over at once at most.
    let pageEventsMax: Int

    /// Begins to follow.
    package func makeAsyncIterator() -> Iterator {
        Iterator(
            hub: hub, log: log, follower: name.map { hub.enroll($0, after: after) }, pageEventsMax: pageEventsMax,
            seen: after)
    }

    /// Follows the ledger; resumes wherever it stopped.
    package struct Iterator: AsyncIteratorProtocol {
        let hub: EventHub
        let log: EventSource
        let follower: EventHub.Follower?
        let pageEventsMax: Int
        var seen: SequenceNumber

        package mutating func next() async throws(LedgerError) -> [Recorded]? {
            try await next(isolation: nil)
        }

        package mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(LedgerError) -> [Recorded]? {
            while true {
                switch await step(isolation: actor) {
                case .events(let events): return events
                case .readLog(let last):
                    let page = try await log.events(after: seen, through: last, eventsMax: pageEventsMax)
                    seen = page.through
                    // Of a stretch of which nothing is to be read nobody is told.
                    if !page.events.isEmpty { return page.events }
                case .wait, .closed: return nil
                }
            }
        }

        /// The next events that memory holds; none where so many came that it does not any longer. For whoever only
        /// has to know that something came: nothing is read, so nothing can fail.
        package mutating func nextAtHand(isolation actor: isolated (any Actor)? = #isolation) async -> [Recorded]? {
            switch await step(isolation: actor) {
            case .events(let events): return events
            case .readLog(let last):
                seen = last
                return []
            case .wait, .closed: return nil
            }
        }

        /// What comes next, once something does; closed also for a task that is cancelled.
        private mutating func step(isolation actor: isolated (any Actor)?) async -> EventHub.Step {
            // Who asks for more is done with what there was.
            follower?.advance(to: seen)
            while !Task.isCancelled {
                let step = hub.step(after: seen, eventsMax: pageEventsMax)
                switch step {
                case .events(let events): seen = events.last?.sequence ?? seen
                case .wait:
                    await hub.wait(after: seen)
                    continue
                case .readLog, .closed: break
                }
                return step
            }
            return .closed
        }
    }
}
