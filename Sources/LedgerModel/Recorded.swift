/// An event with what the log knows about it.
package struct Recorded: Hashable, Sendable {
    /// Its place in the log.
    package let sequence: SequenceNumber
    /// When it was recorded, by the wall clock; for people only.
    package let time: Timestamp
    /// The download it is about, also when it is the one it enqueued; nil for events about the log itself.
    package let id: DownloadID?
    /// The command that caused it; nil when nothing was asked (reconciling, maintenance).
    package let command: CommandID?
    /// Who caused it.
    package let actor: EventActor
    /// What happened.
    package let event: Event

    /// An event as it stands in the log.
    package init(
        sequence: SequenceNumber, time: Timestamp, id: DownloadID?, command: CommandID?, actor: EventActor,
        event: Event
    ) {
        self.sequence = sequence
        self.time = time
        self.id = id
        self.command = command
        self.actor = actor
        self.event = event
    }
}
