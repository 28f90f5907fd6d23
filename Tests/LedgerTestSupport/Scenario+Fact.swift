package import LedgerModel

/// An event with the download it is about: what a scenario is told.
package struct Fact: Sendable {
    /// The event as `decide` proposes it.
    package let proposed: Decision.Proposed

    /// An order was accepted; the download is the number of this event.
    package static func enqueued(_ order: Order, priority: Int32 = 0, rank: Rank) -> Fact {
        Fact(proposed: .init(nil, .enqueued(order, priority: priority, rank: rank)))
    }

    /// Something happened to a download.
    package static func about(_ id: DownloadID, _ event: Event) -> Fact { Fact(proposed: .init(id, event)) }

    /// Something happened to the log itself.
    package static func log(_ event: Event) -> Fact { Fact(proposed: .init(nil, event)) }

    /// The event in its place in the log: one second after the other from ``Fixture/start`` on.
    package func recorded(after sequence: SequenceNumber) -> Recorded {
        proposed.recorded(
            after: sequence, at: Fixture.start.advanced(by: .seconds(Int64(clamping: sequence.next.rawValue))))
    }
}

extension Decision.Proposed {
    /// The event as it is recorded next.
    package func recorded(
        after sequence: SequenceNumber, at time: Timestamp, command: CommandID? = nil
    ) -> Recorded {
        Recorded(self, as: sequence.next, at: time, command: command, actor: .cli)
    }
}

extension DownloadID: ExpressibleByIntegerLiteral {
    /// `1` is download 1, in tests.
    package init(integerLiteral value: UInt64) { self.init(value) }
}

extension SequenceNumber: ExpressibleByIntegerLiteral {
    /// `1` is the first event, in tests.
    package init(integerLiteral value: UInt64) { self.init(value) }
}
