import LedgerModel
import LedgerSystem
import SystemPackage

extension Attempt {
    /// Takes up the part on record. One that is poisoned is carried on in a new file under the next generation.
    /// - Throws: a failure `part-lost` when it is not what is on record: the next attempt fetches it anew.
    func openHeld() async throws(Ending) {
        guard assignment.generation > 0 else { return }
        try await clearParts(keeping: assignment.generation)
        guard !assignment.durable.ranges.isEmpty, let origin = assignment.origin else { return }
        let (path, durable, fileSystem) = (partPath(assignment.generation), assignment.durable, worker.fileSystem)
        let part: PartFile
        do throws(Failure) {
            part = try await worker.blocking.run { () throws(Failure) in
                try PartFile.reopen(at: path, claimed: durable, in: fileSystem)
            }
        } catch { throw ending(error) }
        if assignment.isPoisoned {
            try await takeOver(part, of: origin)
        } else {
            hold(part, of: origin)
        }
    }

    private func hold(_ part: PartFile, of origin: Origin) {
        let (assignment, settings, bytes) = (self.assignment, worker.settings, part.written)
        withState { state in
            (state.part, state.leftGeneration) = (part, state.generation)
            state.machine = WorkerStateMachine(
                assignment, settings: settings, held: WorkerStateMachine.Held(origin: origin, bytes: bytes))
            state.checks = state.machine.pieceChecks
        }
        live.update { gauges in
            gauges.received = bytes.count
            gauges.resumedFrom = bytes.count
            gauges.total = origin.length
        }
    }

    /// Copies what is durable in a poisoned part into the part of the next generation, as far as it can be read, makes
    /// it durable there, and lets the log claim that instead (rule 4). Until then the old one holds all it did.
    private func takeOver(_ old: PartFile, of origin: Origin) async throws(Ending) {
        defer { old.close() }
        let generation = assignment.generation.addingClamped(1)
        guard let part = try await copy(old, to: partPath(generation)) else { return }
        if Task.isCancelled { throw .stopped }
        let durable = part.durable
        try await report([
            .resolved(origin, generation: generation), .progressed(durable.ranges, sums: durable.sums),
        ])
        withState { state in
            state.generation = generation
            state.recordedGeneration = generation
            state.recordedBytes = durable.ranges
        }
        hold(part, of: origin)
        do throws(Failure) { try await removePart(old.path) } catch { throw .failed(error) }
    }

    /// Nil when nothing can be read.
    private func copy(_ old: PartFile, to path: FilePath) async throws(Ending) -> PartFile? {
        let (durable, fileSystem, blocking) = (old.durable, worker.fileSystem, worker.blocking)
        do throws(Failure) {
            let part = try await blocking.run { () throws(Failure) in
                // What was reserved behind the last of it makes room for the copy.
                try old.trim(to: durable.ranges.upperBound)
                guard fileSystem.hasRoom(for: durable.ranges.count, in: path.removingLastComponent()) else {
                    throw Failure.disk(FileError("statvfs", path, .noSpace))
                }
                return try PartFile.create(at: path, length: nil, in: fileSystem)
            }
            do throws(Failure) {
                for range in durable.ranges.ranges where !Task.isCancelled { try await copy(range, of: old, to: part) }
                let copied = try await blocking.run { () throws(Failure) in try part.synchronize() }
                if copied.contradicts(durable) { throw PartFile.altered(old.path) }
                if !copied.ranges.isEmpty { return part }
                part.close()
            } catch {
                // Nobody claims it, and the next attempt may wait for the very room that it takes.
                part.close()
                try await removePart(path)
                throw error
            }
        } catch { throw ending(error) }
        return nil
    }

    /// A range of the old part, up to where it can not be read on.
    private func copy(_ range: Range<UInt64>, of old: PartFile, to part: PartFile) async throws(Failure) {
        var (position, reached) = (range.lowerBound, range.lowerBound)
        repeat {
            position = reached
            let rest = position..<range.upperBound
            reached = try await worker.blocking.run { () throws(Failure) in try part.copy(rest, from: old) }
        } while reached > position && reached < range.upperBound && !Task.isCancelled
    }

    /// Removes what a crash left of this download's parts that nothing claims: all but the one of generation `kept`.
    func clearParts(keeping kept: UInt32?) async throws(Ending) {
        let recorded = PartName.generations(around: assignment.generation)
        // One that this attempt made may be a later one.
        let generations = recorded.lowerBound...max(recorded.upperBound, withState { $0.generation })
        let paths = generations.filter { $0 != kept }.map(partPath)
        let fileSystem = worker.fileSystem
        do throws(Failure) {
            _ = try await disk { () throws(FileError) in try fileSystem.removeParts(paths) }
        } catch { throw .failed(error) }
    }
}
