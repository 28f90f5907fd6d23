import LedgerCoding
import LedgerEngine
import LedgerLog
import LedgerModel
import LedgerSystem
import LedgerTestSupport

extension Shell {
    /// Writes a log of these events into the home, one batch for each, as a ledger would have.
    func record(_ facts: [Fact]) throws {
        let world = World.system()
        var log = try WriteAheadLog.open(at: home, fileSystem: world.fileSystem, random: world.random)
        for fact in facts {
            let event = fact.recorded(after: log.lastSequence)
            let encoded = EventCoding.encode(
                id: event.id, command: event.command, actor: event.actor, event: event.event)
            _ = log.stage(
                LogRecord(type: encoded.type, version: encoded.version, time: event.time, payload: encoded.payload))
            try log.commit(at: event.time)
        }
        try log.close()
    }
}
