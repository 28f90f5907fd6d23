package import LedgerModel

/// What became of one command.
package enum Outcome: Hashable, Sendable {
    /// These events are durable; none when the command changed nothing.
    case recorded([Recorded])
    /// An equal order lives already under this id; the events, if any, woke it.
    case joined(DownloadID, [Recorded])
    /// The command was executed before; these are the events it made then.
    case repeated(CommandAnswer)
    /// Nothing was recorded.
    case refused(Rejection)

    /// The events that it recorded anew; none where it joined, was repeated or was refused.
    package var recordedEvents: [Recorded] {
        if case .recorded(let events) = self { events } else { [] }
    }
}
