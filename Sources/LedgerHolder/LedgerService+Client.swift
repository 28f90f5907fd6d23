package import LedgerAPI
import LedgerEngine
package import LedgerModel
import LedgerSystem
import Synchronization
import SystemPackage

extension LedgerService: LedgerClient {
    package func status() async throws(Problem) -> HolderStatus {
        let served = served.withLock { $0 }
        let givesWay = configuration.givesWay ? await canBeCarriedOn : false
        return HolderStatus(
            processID: CurrentProcess.id, programVersion: configuration.programVersion, last: ledger.lastSequence,
            running: pool.live.count, addresses: served.map(\.address), directory: served.first?.directory,
            givesWay: givesWay)
    }

    /// Whether nothing that runs would begin anew if another process went on with it.
    private var canBeCarriedOn: Bool {
        get async {
            let running = pool.live
            do throws(Problem) {
                return try await read { state in
                    // Bytes of which nothing is on record yet would come again, too.
                    running.allSatisfy { id, figures in
                        state.queue[id]?.origin?.value.isResumable ?? (figures.received == 0)
                    }
                }
            } catch {
                // It has closed itself, and leaves anyway.
                return false
            }
        }
    }

    package func digest() async throws(Problem) -> StateDigest {
        let state = try await read { $0 }
        return StateDigest(sequence: state.sequence, digest: StateSnapshot.digest(of: state))
    }

    package func enqueue(_ requests: [EnqueueRequest]) async throws(Problem) -> [EnqueueAnswer] {
        try await enqueue(requests, as: configuration.actor)
    }

    func enqueue(_ requests: [EnqueueRequest], as actor: EventActor) async throws(Problem) -> [EnqueueAnswer] {
        let requests = try await whole(requests)
        var answers = [EnqueueAnswer](repeating: .unanswered, count: requests.count)
        var orders: [(index: Int, order: Order, secrets: OrderSecrets)] = []
        for (index, request) in requests.enumerated() {
            // Sent, the word that stands for a secret would be taken for one.
            guard !([request.url] + request.mirrors).contains(where: Redaction.isIncomplete) else {
                answers[index] = .refused(.incompleteURL)
                continue
            }
            do throws(RequestProblem) {
                let (order, secrets) = try request.order()
                orders.append((index, order, secrets))
            } catch { answers[index] = .refused(Problem(error)) }
        }
        let own = await own(orders.map(\.order.destination))
        for place in own {
            let destination = orders[place].order.destination
            answers[orders[place].index] = .refused(.own(destination.path ?? destination.directory, ledger.home))
        }
        if !own.isEmpty { orders = orders.enumerated().filter { !own.contains($0.offset) }.map(\.element) }
        let references = try await keep(orders.map(\.secrets))
        defer { secrets.release(references) }
        let submissions = zip(orders, references).map { item, reference in
            var order = item.order
            order.secret = reference
            let request = requests[item.index]
            return Submission(request.command(for: order), id: request.command, actor: actor)
        }
        try await lookAtFiles(of: orders.map(\.order))
        let outcomes = try await execute(submissions)
        var unknown: [Int] = []
        try await eachRow(of: outcomes.map(\.download)) { place, row in
            if row == nil, outcomes[place].isRepeated { unknown.append(place) }
            answers[orders[place].index] = EnqueueAnswer(outcomes[place], row)
        }
        // A repeated command that only woke a download made no `enqueued`, which would be the download's number.
        for place in unknown {
            guard let id = try await events(of: outcomes[place]).first?.id else { continue }
            answers[orders[place].index] = EnqueueAnswer(outcomes[place], try await rows(of: [id])[id])
        }
        return answers
    }

    /// Who is told that a file is there already shall find it: the disk is asked, and not only the catalog.
    private func lookAtFiles(of orders: [Order]) async throws(Problem) {
        let ids = try await read { state in
            orders.compactMap { order in
                state.queue.equal(to: order).flatMap { $0.phase == .completed ? $0.id : nil }
            }
        }
        try await lookAtFiles(of: ids)
    }

    package func undo(_ sequence: SequenceNumber?, command: CommandID) async throws(Problem) -> [ActionAnswer] {
        try await undo(sequence, command: command, as: configuration.actor)
    }

    func undo(
        _ sequence: SequenceNumber?, command: CommandID, as actor: EventActor
    ) async throws(Problem) -> [ActionAnswer] {
        // To undo a resumption or a change takes downloads from their workers, too.
        let taken = try await read { state in
            let result = Result { () throws(Rejection) in try state.queue.undoing(sequence) }
            guard case .success(let entries) = result else { return Set<DownloadID>() }
            return Set(entries.filter { $0.inverse.interrupts }.map(\.id))
        }
        let outcomes = try await execute([Submission(.undo(sequence), id: command, actor: actor)], halting: taken)
        let refused = try await settle(outcomes)
        if case .refused(let rejection) = outcomes[0] { return [ActionAnswer(refused: nil, Problem(rejection))] }
        let events = try await events(of: outcomes[0])
        var answers: [ActionAnswer] = []
        try await eachRow(of: events.map(\.id)) { place, row in
            guard case .restored(let undone) = events[place].event, let row else { return }
            var answer = ActionAnswer(done: row, undone: undone)
            answer.unfollowed = refused[row.id]?.message
            answers.append(answer)
        }
        return answers
    }

    package func list(_ query: ListQuery) async throws(Problem) -> [DownloadRow] {
        let maker = rowMaker
        // The rows are made here, while the ledger's thread goes on.
        let downloads = try await read { $0.queue.downloads }
        return query.select(from: downloads, shown: maker.shown).map { DownloadRow($0) }
    }

    package func limit(_ change: LimitChange) async throws(Problem) -> LimitReport {
        limits.withLock { limits in
            limits.runningMax = change.runningMax ?? limits.runningMax
            limits.runningPerHostMax = change.runningPerHostMax ?? limits.runningPerHostMax
        }
        if let rate = change.bytesPerSecondMax { pool.setRate(rate == 0 ? nil : rate) }
        let now = await handOnLimits()
        let queued = try await read { $0.queue.liveCount }
        return LimitReport(
            now, bytesPerSecondMax: pool.bytesPerSecondMax, running: pool.live.count, queued: queued)
    }

    package func leave() async throws(Problem) {
        let mayLeave = configuration.givesWay ? await canBeCarriedOn : true
        guard mayLeave, let leave = configuration.leave else {
            throw Problem(
                .refused, "process \(CurrentProcess.id) leaves the ledger when its own downloads have ended",
                next: "wait for it, or end it with 'kill \(CurrentProcess.id)': what was received is kept")
        }
        leave()
    }

    package func compact(_ request: CompactRequest) async throws(Problem) -> CompactReport {
        do throws(LedgerError) {
            let report = try await ledger.compact(request, progress: configuration.maintenanceProgress)
            if !request.isDryRun { try await ledger.sweep(secrets) }
            return report
        } catch { throw Problem(error) }
    }

    package func redact(_ request: RedactRequest) async throws(Problem) -> RedactReport {
        if !request.isDryRun { try await finishDeletions(for: request) }
        let answer: Result<RedactReport, Rejection>
        do throws(LedgerError) {
            answer = try await ledger.redact(request, progress: configuration.maintenanceProgress)
            if !request.isDryRun { try await ledger.sweep(secrets) }
        } catch { throw Problem(error) }
        switch answer {
        case .success(let report): return report
        case .failure(let rejection): throw Problem(rejection)
        }
    }

    private func finishDeletions(for request: RedactRequest) async throws(Problem) {
        var ids = request.ids
        if request.match != nil {
            var look = request
            look.isDryRun = true
            ids = try await redact(look).ids
        }
        let held: [DownloadID: Failure]
        do throws(LedgerError) { held = try await reconciler.finishDeletions(of: ids) } catch { throw Problem(error) }
        if let (id, failure) = held.min(by: { $0.key < $1.key }) { throw Problem(unfollowed: id, failure) }
    }
}

extension LedgerService {
    /// How many rows are made at once for an answer: each takes a third of a kilobyte and its texts.
    private static let madeRowsMax = 4096

    /// Executes commands on the ledger.
    /// - Parameter ids: what the commands take from its workers, once what those hold is on record.
    func execute(
        _ submissions: [Submission], halting ids: Set<DownloadID> = []
    ) async throws(Problem) -> [Outcome] {
        do throws(LedgerError) {
            guard !ids.isEmpty else { return try await ledger.execute(submissions) }
            return try await pool.halting(ids) { () throws(LedgerError) in try await ledger.execute(submissions) }
        } catch { throw Problem(error) }
    }

    /// Looks at the durable state.
    package func read<Value: Sendable>(_ body: @Sendable (LedgerState) -> Value) async throws(Problem) -> Value {
        do throws(LedgerError) { return try await ledger.read(body) } catch { throw Problem(error) }
    }

    /// The rows of downloads as they are now.
    package func rows(of ids: [DownloadID]) async throws(Problem) -> [DownloadID: DownloadRow] {
        let maker = rowMaker
        let rows = try await read { state in ids.compactMap { state.queue[$0].map(maker.row) } }
        return Dictionary(rows.map { ($0.id, $0) }) { first, _ in first }
    }

    /// Hands over the row of each of these as it is now, nil where there is none, in their order.
    func eachRow(of ids: [DownloadID?], _ body: (Int, DownloadRow?) -> Void) async throws(Problem) {
        let maker = rowMaker
        for start in stride(from: 0, to: ids.count, by: Self.madeRowsMax) {
            let page = ids[start..<min(start + Self.madeRowsMax, ids.count)]
            let rows = try await read { state in page.map { $0.flatMap { state.queue[$0] }.map(maker.row) } }
            for (place, row) in zip(page.indices, rows) { body(place, row) }
        }
    }

    /// Lets the disk follow what commands did, before they are answered.
    /// - Returns: what it refused.
    func settle(_ outcomes: [Outcome]) async throws(Problem) -> [DownloadID: Failure] {
        let events = outcomes.flatMap(\.recordedEvents)
        do throws(LedgerError) { return try await reconciler.follow(events) } catch { throw Problem(error) }
    }

    /// What a command recorded, now or when it was first given.
    func events(of outcome: Outcome) async throws(Problem) -> [Recorded] {
        switch outcome {
        case .recorded(let events), .joined(_, let events): return events
        case .refused: return []
        case .repeated(let answer):
            let end = answer.first.rawValue + UInt64(answer.count)
            var batches = ledger.events(after: SequenceNumber(answer.first.rawValue - 1)).makeAsyncIterator()
            var events: [Recorded] = []
            do throws(LedgerError) {
                // What was taken out since is passed over: the last of them may be missing, and all behind it.
                while let batch = try await batches.next(), let last = batch.last {
                    events += batch.prefix { $0.sequence.rawValue < end }
                    if last.sequence.rawValue >= end - 1 { break }
                }
            } catch { throw Problem(error) }
            return events
        }
    }

    /// Keeps secrets until they are released, or some order needs them.
    func keep(_ all: [OrderSecrets]) async throws(Problem) -> [SecretReference?] {
        do throws(LedgerError) { return try await ledger.keep(all, in: secrets) } catch { throw Problem(error) }
    }
}

extension EnqueueRequest {
    /// What the ledger is asked for.
    fileprivate func command(for order: Order) -> Command {
        let command: Command =
            ifModified ? .refresh(order, priority: priority) : .enqueue(order, priority: priority, again: again)
        return isPaused ? .hold(command) : command
    }
}

extension EnqueueAnswer {
    static let unanswered = refused(Problem(.internal, "the ledger gave no answer to this request"))

    /// What a command came to, with the row of the download that it made or joined.
    init(_ outcome: Outcome, _ row: DownloadRow?) {
        if case .refused(let rejection) = outcome {
            self = .refused(Problem(rejection))
        } else {
            self = row.map { .accepted($0, joined: outcome.isJoined) } ?? .unanswered
        }
    }
}

extension Outcome {
    /// The download that a command made, joined or changed; nil when it was refused or was about none.
    var download: DownloadID? {
        switch self {
        case .recorded(let events): events.first?.id
        case .joined(let id, _): id
        case .repeated(let answer): DownloadID(answer.first)
        case .refused: nil
        }
    }

    var isJoined: Bool {
        if case .joined = self { true } else { false }
    }

    /// Whether the command was executed before.
    var isRepeated: Bool {
        if case .repeated = self { true } else { false }
    }
}
