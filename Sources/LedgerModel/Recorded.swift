/// An event with what the log knows about it.
package struct Recorded: Hashable, Sendable {
    // The event first: behind fields of one byte it would be copied in pieces that its last writer has not written so,
    // for each of which the processor waits.
    /// What happened.
    package let event: Event
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

    /// An event as it stands in the log.
    package init(
        sequence: SequenceNumber, time: Timestamp, id: DownloadID?, command: CommandID?, actor: EventActor,
        event: Event
    ) {
        self.event = event
        self.sequence = sequence
        self.time = time
        self.id = id
        self.command = command
        self.actor = actor
    }
}

extension [Recorded] {
    /// Adds an event as it stands in the log, made where it will stand: in this module, so that nothing of it is copied
    /// on the way there.
    package mutating func append(
        sequence: SequenceNumber, time: Timestamp, id: DownloadID?, command: CommandID?, actor: EventActor,
        event: consuming Event
    ) {
        append(Recorded(sequence: sequence, time: time, id: id, command: command, actor: actor, event: event))
    }
}
