import LedgerModel
import LedgerSystem
import SystemPackage

extension Attempt {
    /// Makes the fresh part that an accepted entity goes to. When a part is on record, the new one is made durable and
    /// goes on record first, and only then the old one goes: whatever the log claims stands on the disk. What may not
    /// be the file stands beside it until that is known, or more of it came than is held.
    /// - Parameter fill: writes what is there of the entity, on the thread that made the part.
    func beginPart(
        _ origin: Origin, filling fill: @escaping @Sendable (PartFile, RunningDigest) throws(Failure) -> Void
    ) async throws(Ending) {
        try await recordKept()
        let (recorded, expected, checks) = withState { state in
            (state.recordedGeneration, state.machine.expected?.algorithm, state.machine.pieceChecks)
        }
        let digest = RunningDigest(stated: expected, absorbs: checks == nil)
        let generation = recorded.addingClamped(1)
        let (path, fileSystem) = (partPath(generation), worker.fileSystem)
        let directory = FilePath(assignment.order.destination.directory)
        try await requirePlace()
        withState { $0.part }.map { if $0.path == path { $0.close() } }
        let before = live.now
        live.update { ($0.received, $0.resumedFrom) = (0, 0) }
        withState { $0.rates = RateMeter() }
        bodyBegins(of: origin.length)
        let part: PartFile
        do throws(Failure) {
            part = try await worker.blocking.run {
                [directories = worker.directories, promises = worker.promises] () throws(Failure) in
                try LedgerTransfer.disk { () throws(FileError) in
                    try directories.ensure(directory, permissions: 0o777, in: fileSystem)
                }
                return try PartFile.create(at: path, length: origin.length, in: fileSystem, promises: promises) {
                    part throws(Failure) in try fill(part, digest)
                }
            }
            if recorded > 0 {
                _ = try await worker.blocking.run { () throws(Failure) in try part.synchronize() }
            }
        } catch {
            live.update { gauges in
                (gauges.received, gauges.resumedFrom) = (before.received, before.resumedFrom)
                gauges.total = before.total
            }
            // How much room it waits for is to be known until there is as much.
            if error.code == .diskFull, recorded == 0 { try await report([.resolved(origin, generation: generation)]) }
            throw .failed(error)
        }
        let isDoubtful = withState { state in
            if recorded > 0 {
                state.recordedPart = state.recordedPart ?? state.part
            } else {
                state.machine.kept = nil
            }
            state.part = part
            state.generation = generation
            state.checks = checks
            state.digest = digest
            state.given = []
            // What was said of another entity's pieces; the order's are the file's.
            if state.machine.pieces == nil { state.wrongPieces = [:] }
            return state.machine.isDoubtful
        }
        guard recorded > 0, !isDoubtful else { return }
        try await replaceRecorded([.resolved(origin, generation: generation)])
    }

    /// The part that is written goes on record in the place of the one that is, with these reports.
    func replaceRecorded(_ reports: [Report]) async throws(Ending) {
        let recorded = withState { $0.recordedGeneration }
        try await record(reports)
        let (old, rejected) = withState { state in
            defer { (state.recordedPart, state.rejected, state.machine.kept) = (nil, nil, nil) }
            return (state.recordedPart, state.rejected)
        }
        old?.close()
        do throws(Failure) {
            if let rejected {
                try await setAside(rejected.part, at: rejected.target)
            } else {
                try await removePart(partPath(recorded))
            }
        } catch { throw .failed(error) }
    }

    /// Says how much is to come, before any of it does, and how much is there: the first look, a second from now, has
    /// something to compare with.
    func bodyBegins(of total: UInt64?) {
        live.update { $0.total = total }
        let (now, received) = (worker.clock.uptime(), live.now.received)
        withState { _ = $0.rates.add(received, at: now) }
    }

    /// Makes what was written durable, then puts it on record. Does nothing when that is on record already.
    func checkpoint(_ flow: Flow) async throws(Ending) {
        withState { [now = worker.clock.uptime()] in $0.checkpointedAt = now }
        if withState({ $0.machine.isDoubtful && !$0.holdsMore($0.part?.written) }) { return }
        let reports: [Report]
        do throws(Failure) { reports = try await unrecorded(flow) } catch { throw .failed(error) }
        guard !reports.isEmpty else { return }
        if withState({ $0.machine.isDoubtful }) {
            if withState({ $0.holdsMore($0.part?.durable.ranges) }) { try await replaceRecorded(reports) }
        } else {
            try await record(reports)
        }
    }

    /// Puts these on record, if there are any, and remembers it.
    func record(_ reports: [Report]) async throws(Ending) {
        guard !reports.isEmpty else { return }
        try await report(reports)
        noteRecorded(reports)
    }

    /// The same where the last was long ago: bodies that end sooner than a look comes follow each other.
    func checkpointIfDue(_ flow: Flow) async throws(Ending) {
        let due = withState { $0.checkpointedAt } + worker.settings.progressInterval
        if worker.clock.uptime() >= due { try await checkpoint(flow) }
    }

    /// Syncs the part and returns what is durable and not on record: `resolved` first, if the part itself is not. What
    /// the next attempt could not tell from bytes of another file is left out.
    /// - Parameter origin: what the part is of; nil for what is fetched.
    func unrecorded(_ flow: Flow? = nil, of origin: Origin? = nil) async throws(Failure) -> [Report] {
        let (part, generation, recorded, origin, bytes) = withState { state in
            (
                state.part, state.generation, state.recordedGeneration, origin ?? state.machine.held?.origin,
                state.recordedBytes
            )
        }
        guard let part, let origin else { return [] }
        let isRecorded = generation == recorded
        let written = part.written.subtracting(unvouched(flow))
        guard isRecorded ? written != bytes : !written.isEmpty else { return [] }
        var durable = try await worker.blocking.run { () throws(Failure) in try part.synchronize() }
        for range in unvouched(flow).ranges { durable.subtract(range) }
        withState { $0.hasProgressed = true }
        let progress = Report.progressed(durable.ranges, sums: durable.sums)
        return (isRecorded ? [] : [.resolved(origin, generation: generation)]) + [progress]
    }

    /// Remembers what is on record now.
    func noteRecorded(_ reports: [Report]) {
        withState { state in
            for report in reports {
                switch report {
                case .resolved(_, let generation):
                    if generation != state.recordedGeneration { state.recordedBytes = ByteRangeSet() }
                    state.recordedGeneration = generation
                case .progressed(let bytes, _): state.recordedBytes = bytes
                case .verified, .completed, .failed, .found, .blamed, .unchanged: break
                }
            }
        }
    }

    /// Unlinks a part that nothing claims any more.
    func removePart(_ path: FilePath) async throws(Failure) {
        let fileSystem = worker.fileSystem
        try await disk { () throws(FileError) in
            if try fileSystem.status(of: path) != nil { try fileSystem.unlink(path) }
        }
    }

    /// The name the file is to have: the user's, else what the origin suggested.
    var finalName: String {
        assignment.order.destination.name ?? withState { $0.machine.held?.origin.suggestedName }
            ?? assignment.order.plannedName
    }
}
