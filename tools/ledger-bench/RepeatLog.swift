import ArgumentParser
import LedgerCoding
import LedgerEngine
import LedgerLog
import LedgerModel
import LedgerSystem

/// `ledger-bench repeat-log`: a past that happened several times over, made much faster than one as long.
struct RepeatLog: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "repeat-log",
        abstract: "Make a long log of a shorter one, which it has several times over.",
        discussion: """
            Each repetition is of other downloads: other ids, other URLs, other places, a year later. The batches are \
            as long as they were. Nothing is decided anew, which is what makes 'make-log' slow.

            EXAMPLE
              ledger-bench make-log --home short --events 1000000
              ledger-bench repeat-log --from short --home long --times 10
            """)

    @Option(help: ArgumentHelp("The directory of the ledger that is repeated.", valueName: "dir"))
    var from: String

    @Option(help: ArgumentHelp("The directory of the new ledger.", valueName: "dir"))
    var home: String

    @Option(help: ArgumentHelp("How often.", valueName: "n"))
    var times = 10

    func validate() throws {
        guard (1...1000).contains(times) else { throw ValidationError("'--times' is from 1 to 1000.") }
    }

    func run() async throws {
        let source = LedgerHome(try Place.absolute(from))
        let fileSystem = RealFileSystem()
        var log = try WriteAheadLog.open(at: try Place.absolute(home), fileSystem: fileSystem) { 0x5EED }
        guard log.lastSequence == .zero else { throw LogMaker.Trouble.notEmpty(log.lastSequence) }
        for time in 0..<times {
            let repetition = Repetition(number: time, after: log.lastSequence.rawValue)
            var reader = try EventReader(home: source, fileSystem: fileSystem, after: .zero)
            var last = Timestamp(milliseconds: 0)
            while let batch = try reader.next() {
                for event in batch.events {
                    let record = repetition.record(of: event)
                    last = record.time
                    _ = log.stage(record)
                }
                try log.commit(at: last)
            }
        }
        try Output.standard.write("\(log.lastSequence) events in '\(home)'\n")
        try log.close()
    }
}

/// One repetition of a past.
private struct Repetition {
    private static let yearMilliseconds: Int64 = 365 * 86_400_000

    let number: Int
    /// How many events come before it.
    let offset: UInt64

    init(number: Int, after offset: UInt64) {
        self.number = number
        self.offset = offset
    }

    func record(of recorded: Recorded) -> LogRecord {
        let command = recorded.command.map { CommandID(high: $0.high ^ UInt64(number), low: $0.low) }
        let encoded = EventCoding.encode(
            id: recorded.id.map { DownloadID($0.rawValue + offset) }, command: command, actor: recorded.actor,
            event: event(recorded.event))
        return LogRecord(
            type: encoded.type, version: encoded.version,
            time: Timestamp(milliseconds: recorded.time.milliseconds + Int64(number) * Self.yearMilliseconds),
            payload: encoded.payload)
    }

    private func event(_ event: Event) -> Event {
        switch event {
        case .enqueued(let order, let priority, let rank):
            .enqueued(self.order(order), priority: priority, rank: self.rank(rank))
        case .moved(let priority, let rank): .moved(priority: priority, rank: self.rank(rank))
        case .changed(let order): .changed(self.order(order))
        case .resolved(let origin, let generation): .resolved(self.origin(origin), generation: generation)
        case .verified(let length, let sum, let path): .verified(length: length, sha256: sum, path: place(path))
        case .restored(let sequence): .restored(undoing: SequenceNumber(sequence.rawValue + offset))
        case .progressed, .completed, .failed, .paused, .resumed, .cancelled, .retried, .deleted, .missing, .altered,
            .found, .compacted, .checkpointed, .repaired, .redacted, .blamed, .rechecked, .unchanged, .used, .pinned,
            .relocated, .library:
            event
        }
    }

    private func rank(_ rank: Rank) -> Rank { rank + Rank(offset) * Queue.rankStep }

    private func url(_ url: ResourceURL) -> ResourceURL {
        number == 0 ? url : ResourceURL(recorded: url.text + "?\(number)")
    }

    private func origin(_ origin: Origin) -> Origin {
        var origin = origin
        origin.url = url(origin.url)
        return origin
    }

    private func place(_ path: String) -> String { number == 0 ? path : "/\(number)" + path }

    private func order(_ order: Order) -> Order {
        var order = order
        let destination = order.destination
        order.url = url(order.url)
        order.destination = Destination(
            directory: place(destination.directory), name: destination.name, collision: destination.collision)
        return order
    }
}
