import ArgumentParser
import LedgerEngine
import LedgerLog
import LedgerModel
import LedgerSystem
import LedgerTransfer
import SystemPackage

/// `ledger-bench count`: does one thing so many times, for a tool that counts instructions.
struct Count: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "count",
        abstract: "Do one thing many times, to have its instructions counted.",
        discussion: """
            'tools/bench/counts' runs it under valgrind with two numbers of times: what one more time costs is the \
            difference, and no machine's mood changes it. Everything is real but what it is done for.

            EXAMPLE
              valgrind --tool=callgrind ledger-bench count commit --directory /dev/shm/x --times 1000
            """)

    /// What is done.
    enum Work: String, CaseIterable, ExpressibleByArgument {
        /// A record of 100 bytes is staged and made durable in the log.
        case commit
        /// An event is read from the log, its checksum verified.
        case decode
        /// An event is read and folded into the state.
        case fold
        /// An order is decided and folded into the state.
        case enqueue
        /// 64 KiB arrive, are written, summed and counted; no hash is computed.
        case chunk
    }

    @Argument(help: "commit, decode, fold, enqueue or chunk.")
    var work: Work

    @Option(help: ArgumentHelp("How many times.", valueName: "n"))
    var times = 1000

    @Option(
        help: ArgumentHelp(
            "An empty directory to do it in; for decode and fold the home of a ledger with as many events.",
            valueName: "dir"))
    var directory: String

    func validate() throws {
        guard (1...10_000_000).contains(times) else { throw ValidationError("'--times' is from 1 to 10000000.") }
    }

    func run() throws {
        let place = try Place.absolute(directory)
        switch work {
        case .commit: try commit(in: place)
        case .decode: try read(place, folding: false)
        case .fold: try read(place, folding: true)
        case .enqueue: try enqueue()
        case .chunk: try chunk(in: place)
        }
    }

    private func commit(in place: FilePath) throws {
        var log = try WriteAheadLog.open(at: place, fileSystem: RealFileSystem()) { 0x5EED }
        let payload = [UInt8](repeating: 0x5A, count: 100)
        for time in 0..<times {
            let now = Timestamp(milliseconds: Int64(time))
            _ = log.stage(LogRecord(type: 0x81, version: 1, time: now, payload: payload))
            try log.commit(at: now)
        }
        try log.close()
    }

    private func read(_ place: FilePath, folding: Bool) throws {
        var reader = try EventReader(home: LedgerHome(place), fileSystem: RealFileSystem(), after: .zero)
        var state = LedgerState()
        var count = 0
        try state.foldPast { state in
            var batch = EventReader.Batch()
            while count < times, try reader.next(into: &batch) {
                count += batch.events.count
                if folding { try batch.fold(into: &state) }
            }
        }
        guard count >= times else { throw ValidationError("the ledger has \(count) events, not \(times)") }
    }

    private func enqueue() throws {
        var state = LedgerState()
        for number in 0..<times { try QueuedOrder.enqueue(number, into: &state) }
    }

    private func chunk(in place: FilePath) throws {
        let fileSystem = RealFileSystem()
        let part = try PartFile.create(at: place.appending("part"), length: nil, in: fileSystem)
        let sink = PartSink(
            part, for: Claim(from: 0, to: nil, limit: nil, source: 0),
            digest: RunningDigest(stated: nil, absorbs: false), live: LiveProgress(), limiters: [RateLimiter()],
            clock: SystemClock(), wakeFollower: {})
        let bytes = [UInt8](repeating: 0x5A, count: 64 << 10)
        for _ in 0..<times { _ = try unsafe sink.write(bytes.span.bytes) }
        part.close()
    }
}
