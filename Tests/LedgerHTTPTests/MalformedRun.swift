import LedgerHTTP
import LedgerModel
import LedgerSystem
import LedgerTestSupport
import LedgerTransfer
import Synchronization
import SystemPackage

/// One malformed case: a real worker and real sockets, a disk in memory. The first attempt meets the spoilt answers,
/// the ones after it a healthy origin.
final class MalformedRun: Sendable {
    /// What one attempt may take in seconds, whatever the origin does: it ends in less than one, but for a machine that
    /// is busy with other things.
    static let attemptSecondsMax: Int64 = 180
    /// After so many attempts a download has an end.
    static let attemptsMax = 4
    /// What the disk holds in bytes: absurd lengths do not fit.
    static let diskBytesMax: UInt64 = 16 << 20

    let example: MalformedCase
    private let origin: OriginServer
    private let blocking: BlockingPool
    private let disk = SimulatedDisk(bytesMax: MalformedRun.diskBytesMax)
    private let reports = RecordedReports()
    private let transport = HTTPTransport()
    private let state = Mutex(State())

    private struct State {
        var explanation = Explanation()
        var isHealthy = false
        var count = 0
        /// What went over the wire, for whoever looks at a failure.
        var story: [String] = []
        var problems: [String] = []
    }

    init(_ example: MalformedCase, origin: OriginServer, blocking: BlockingPool) {
        self.example = example
        self.origin = origin
        self.blocking = blocking
    }

    /// How it ended, and what was wrong with that.
    func run() async throws -> (end: String, problems: [String]) {
        try disk.createDirectory("/d", permissions: 0o700)
        for path in [example.path, example.target] { origin.on(path) { self.reply(to: $0) } }
        try hold()
        var last: WorkerEnd?
        for attempt in 0..<Self.attemptsMax {
            let (worker, assignment) = (worker(), try self.assignment())
            let end = await limited(seconds: Self.attemptSecondsMax) {
                await worker.run(assignment, live: LiveProgress())
            }
            state.withLock { state in
                state.story.append("attempt \(attempt): \(end)")
                state.isHealthy = true
            }
            last = last ?? end
            try check(end, isHealthy: attempt > 0)
            guard case .failed(_, .some) = end else { break }
        }
        await transport.shutdown()
        for path in [example.path, example.target] { origin.script(path, []) }
        expect(disk.openFiles == 0, "\(disk.openFiles) files are open at the end")
        let (problems, story) = state.withLock { ($0.problems, $0.story) }
        let place = "LEDGER_CASE=\(example.seed):\(example.number), \(example.kind)"
        let words = problems.map { "\($0)\n  \(place), expected: \(example.expected != nil)" }
        return (Self.word(last), words.map { ([$0] + story).joined(separator: "\n  ") })
    }

    private static func word(_ end: WorkerEnd?) -> String {
        switch end {
        case .completed: "completed"
        case .failed(let failure, _): failure.code.rawValue
        case .stopped, nil: "stopped"
        }
    }

    private func expect(_ isMet: Bool, _ problem: @autoclosure () -> String) {
        guard !isMet else { return }
        let problem = problem()
        state.withLock { $0.problems.append(problem) }
    }
}

// MARK: The origin

extension MalformedRun {
    private func reply(to request: OriginRequest) -> OriginReply {
        let (count, isHealthy) = state.withLock { state in
            defer { state.count += 1 }
            return (state.count, state.isHealthy)
        }
        let (bytes, end, notes) =
            isHealthy ? (example.sendsInOrder(to: request), .keep, []) : example.sends(to: request, count: count)
        let answer = ReadAnswer(bytes, isClosed: end == .close)
        let head = String(decoding: bytes.prefix(600).prefix { $0 < 128 }, as: UTF8.self).debugDescription
        state.withLock { state in
            if let answer { state.explanation.add(answer) }
            let read = answer.map { "\($0.status), \($0.body.count) bytes, whole: \($0.isWhole)" } ?? "refused"
            state.story.append("\(request.target) \(request["range"] ?? "all"): \(notes), then \(end); read as \(read)")
            state.story.append("  \(head)")
        }
        switch end {
        case .keep: return OriginReply(steps: [.bytes(bytes)])
        case .close: return OriginReply(steps: [.bytes(bytes), .close])
        case .reset: return OriginReply(steps: [.bytes(bytes), .reset])
        case .stall: return OriginReply(steps: [.bytes(bytes), .stall])
        }
    }
}

// MARK: The download

extension MalformedRun {
    private func worker() -> DownloadWorker {
        DownloadWorker(
            transport: FencedTransport(transport: transport, origin: "http://127.0.0.1:\(origin.port)"),
            fileSystem: disk, clock: ManualClock(Bench.start), blocking: blocking,
            publication: Publication(fileSystem: disk, blocking: blocking, reporting: reports),
            reporting: reports, jitter: { 0.5 })
    }

    /// What the engine would hand out now, by what is on record.
    private func assignment() throws -> Assignment {
        var options = TransferOptions()
        // Short for the answers that are spoilt, long enough for a machine with other work for those that are not.
        options.silenceMillisecondsMax = state.withLock { $0.isHealthy } ? 10_000 : 400
        let order = Order(
            url: try origin.url(example.path), destination: Destination(directory: "/d", name: nil),
            expected: example.expected, options: Shared(options))
        var assignment = Assignment(
            lease: Lease(DownloadID(1), epoch: 0), order: order, ledgerPrefix: Bench.prefix)
        for report in reports.all {
            switch report {
            case .resolved(let origin, let generation):
                (assignment.origin, assignment.generation) = (origin, generation)
                assignment.durable = SummedRanges()
            case .progressed(let ranges, let sums): assignment.durable = SummedRanges(ranges, sums: sums)
            case .verified, .completed, .failed, .found, .blamed, .unchanged: break
            }
        }
        return assignment
    }

    private func partPath(_ assignment: Assignment) -> FilePath {
        FilePath("/d").appending(
            PartName.make(
                stem: assignment.partStem, id: assignment.lease.id, ledgerPrefix: Bench.prefix,
                generation: assignment.generation))
    }

    /// Puts what is held from before on the disk and on record.
    private func hold() throws {
        guard !example.heldBytes.isEmpty else { return }
        let known = LedgerModel.Origin(
            url: try origin.url(example.path), length: example.heldTotal, validator: .entityTag(example.heldTag),
            acceptsRanges: true, mediaType: "application/octet-stream", suggestedName: "file.bin")
        let durable = ByteRangeSet(0..<UInt64(example.heldBytes.count))
        let reports: [Report] = [.resolved(known, generation: 1), .progressed(durable)]
        self.reports.record(reports)
        let file = try disk.open(partPath(try assignment()), .create(permissions: 0o600))
        try file.write(example.heldBytes, at: 0)
        file.close()
        state.withLock {
            $0.explanation.add(held: example.heldBytes, tag: example.heldTag, total: example.heldTotal)
        }
    }
}

extension MalformedRun {
    /// Holds the end of an attempt against what the origin said.
    private func check(_ end: WorkerEnd, isHealthy: Bool) throws {
        let explanation = state.withLock { $0.explanation }
        let names = try disk.list("/d")
        switch end {
        case .completed(let path):
            guard let file = try disk.contents(of: FilePath(path)) else {
                return expect(false, "nothing stands at '\(path)'")
            }
            if example.expected == nil {
                expect(explanation.explains(file), "a file of \(file.count) bytes that no origin sent is complete")
            } else {
                expect(file == example.entity.bytes, "a file with another digest is complete")
            }
            expect(FilePath(path).removingLastComponent() == "/d", "the file stands at '\(path)'")
            // What an earlier attempt left was another file, and is kept.
            let isKept = example.expected != nil && names.last?.hasSuffix(".rejected") == true
            expect(names.count == (isKept ? 2 : 1), "a completed download leaves \(names)")
            try checkRecord(of: file, path)
        case .failed(let failure, _):
            expect(names.allSatisfy { $0.hasSuffix(".part") || $0.contains(".rejected") }, "a failure leaves \(names)")
            let isItsFault = failure.code == .digestMismatch && example.expected != nil
            expect(!isHealthy || isItsFault, "a healthy origin does not help")
        case .stopped:
            expect(false, "the attempt hung, or was stopped")
        }
        let assignment = try assignment()
        guard !assignment.durable.ranges.isEmpty, case .failed = end else { return }
        let part = try disk.contents(of: partPath(assignment)) ?? []
        let claimed = Int(clamping: assignment.durable.ranges.upperBound)
        expect(claimed <= part.count, "\(claimed) bytes are claimed and \(part.count) there")
        let held = part.prefix(Int(clamping: assignment.durable.prefixCount))
        expect(explanation.explains(beginning: held), "what is on record is not what an origin sent")
    }

    private func checkRecord(of file: [UInt8], _ path: String) throws {
        let verified = reports.all.compactMap { report -> (UInt64, Digest)? in
            if case .verified(let length, let sha256, _) = report { return (length, sha256) }
            return nil
        }
        let sum = try RunningDigest.sha256(of: FilePath(path), length: UInt64(file.count), in: disk)
        expect(
            verified.last.map { $0 == (UInt64(file.count), sum) } ?? false,
            "what is on record of the file is not the file")
    }
}
