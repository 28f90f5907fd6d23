package import LedgerModel
package import Testing

/// Given these events, when this command comes, then exactly this follows: all events and all downloads are compared,
/// so that what a test does not say must not move.
package struct Scenario {
    private let queue: Queue
    private let now: Timestamp
    private let limits: Limits
    private let running: Set<DownloadID>

    /// A queue before its first event.
    package init(_ subject: Queue.Type) {
        queue = Queue()
        now = Fixture.now
        limits = Limits()
        running = []
    }

    private init(_ queue: Queue, at now: Timestamp, _ limits: Limits, _ running: Set<DownloadID>) {
        self.queue = queue
        self.now = now
        self.limits = limits
        self.running = running
    }

    /// What happened before, one second after the other from ``Fixture/start`` on.
    package func given(_ facts: Fact...) -> Scenario { given(facts) }

    /// What happened before, as a list.
    package func given(_ facts: [Fact]) -> Scenario {
        var next = queue
        for fact in facts { next.apply(fact.recorded(after: next.sequence)) }
        return Scenario(next, at: now, limits, running)
    }

    /// The instant of the command.
    package func at(_ now: Timestamp) -> Scenario { Scenario(queue, at: now, limits, running) }

    /// The limits the command is decided under, and what runs then.
    package func under(_ limits: Limits, running: Set<DownloadID> = []) -> Scenario {
        Scenario(queue, at: now, limits, running)
    }

    /// The command, decided.
    package func when(_ command: Command) -> Outcome {
        do throws(Rejection) {
            return Outcome(
                queue: queue, now: now, limits: limits, running: running,
                result: .success(try queue.decide(command, at: now, limits: limits, running: running)))
        } catch {
            return Outcome(queue: queue, now: now, limits: limits, running: running, result: .failure(error))
        }
    }

    /// What a command came to.
    package struct Outcome {
        fileprivate let queue: Queue
        fileprivate let now: Timestamp
        fileprivate let limits: Limits
        fileprivate let running: Set<DownloadID>
        fileprivate let result: Result<Decision, Rejection>

        /// It was refused for this reason.
        package func refused(_ expected: Rejection, sourceLocation: SourceLocation = #_sourceLocation) {
            #expect(result == .failure(expected), sourceLocation: sourceLocation)
        }

        /// It joined a download and recorded only these events, after which the downloads changed only like this.
        @discardableResult
        package func joined(
            _ id: DownloadID, _ facts: Fact..., sourceLocation: SourceLocation = #_sourceLocation,
            changing change: (inout DownloadTable) -> Void = { _ in }
        ) -> Scenario {
            follow(Decision(facts.map(\.proposed), joined: id), sourceLocation, change)
        }

        /// It recorded exactly these events, after which the downloads changed only like this. What comes next in the
        /// same scenario comes a minute later.
        @discardableResult
        package func recorded(
            _ facts: Fact..., sourceLocation: SourceLocation = #_sourceLocation,
            changing change: (inout DownloadTable) -> Void = { _ in }
        ) -> Scenario {
            follow(Decision(facts.map(\.proposed)), sourceLocation, change)
        }

        private func follow(
            _ expected: Decision, _ sourceLocation: SourceLocation, _ change: (inout DownloadTable) -> Void
        ) -> Scenario {
            #expect(result == .success(expected), sourceLocation: sourceLocation)
            var (after, downloads) = (queue, queue.downloads)
            for proposed in expected.events { after.apply(proposed.recorded(after: after.sequence, at: now)) }
            change(&downloads)
            for id in Set(downloads.ids).union(after.downloads.ids) {
                #expect(after.downloads[id] == downloads[id], sourceLocation: sourceLocation)
            }
            #expect(after.invariantViolation() == nil, sourceLocation: sourceLocation)
            return Scenario(after, at: now.advanced(by: .seconds(60)), limits, running)
        }
    }
}
