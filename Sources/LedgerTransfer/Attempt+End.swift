import LedgerModel
import LedgerSystem
import SystemPackage

extension Attempt {
    /// The part is whole: hashes the rest, compares, publishes. Returns what to do next when the digest differs.
    func finish(_ length: UInt64) async throws(Ending) -> WorkerStateMachine.Action {
        guard let part = withState({ $0.part }) else { preconditionFailure("a whole entity stands in a part") }
        // Where something states what the bytes must be, they may have to come again.
        let isLengthStated = assignment.order.options.value.expectedLength != nil
        let mayComeAgain = withState { isLengthStated || $0.checks != nil || $0.machine.isBound }
        if !mayComeAgain { whenReceived() }
        if let action = try await checkRest(of: part) ?? returnUnvouched(of: part) {
            return withState { $0.machine.isDoubtful } ? .leaveDoubt("pieces of it are wrong") : action
        }
        let digest = withState { $0.digest }
        do throws(Failure) {
            if part.written.upperBound > PartFile.allocationBytesMin || digest.position < length {
                try await worker.blocking.run { () throws(Failure) in try part.trim(to: length) }
            }
            try await follow(part.file, with: digest, to: length)
        } catch { throw ending(error) }
        guard digest.position == length else { throw .stopped }
        let sums = digest.finish()
        try await requireNoHole(in: part, length, sums)
        var reason = contradiction(of: sums, length, expected: withState { $0.machine.expected })
        if reason == nil { reason = try await contradictionOfPieces(in: part, length) }
        // Whose fault it is that it is wrong, or, where nobody says what is right, whether it is what was received.
        let isVouchedFor = withState { [reason] in $0.checks != nil || reason == nil && $0.machine.isBound }
        if !isVouchedFor, let sum = part.prefixSum, sum != sums.crc32c { throw ending(PartFile.altered(part.path)) }
        if let reason, withState({ $0.machine.isDoubtful }) { return .leaveDoubt(reason.words) }
        if let reason {
            let target = try await rejectedPath(of: part, length)
            try await reject(part, to: target)
            return withState { state in
                state.mixed = (target, state.given)
                return state.machine.mismatched(
                    Failure(reason.code, "\(reason.words); it is kept as '\(target)'", isRetryable: false),
                    given: Dictionary(state.given.map { ($0.source, $0.bytes.count) }, uniquingKeysWith: +))
            }
        }
        try await settleDoubt()
        withState { $0.machine.proved() }
        try await blameGivers(besides: part)
        try await reportDropped()
        if sums.sha256 == assignment.standing?.file.sha256, try await isStanding() { try await remainUnchanged() }
        let (generation, recorded, origin) = withState {
            ($0.generation, $0.recordedGeneration, $0.machine.held?.origin)
        }
        var earlier: [Report] = []
        if generation != recorded, let origin { earlier = [.resolved(origin, generation: generation)] }
        var item = Publication.Item(
            lease: assignment.lease, destination: assignment.order.destination, name: finalName, part: part,
            length: length, sha256: sums.sha256, earlier: earlier, replaced: assignment.replaced)
        item.modifiedNanoseconds = modifiedNanoseconds(of: origin)
        if mayComeAgain { whenReceived() }
        throw await publish(item)
    }

    /// What was hashed while it came need not stand there any more: one who cuts a file that is still written leaves a
    /// hole in it. Where there may be one, all is read again.
    private func requireNoHole(in part: PartFile, _ length: UInt64, _ sums: RunningDigest.Sums) async throws(Ending) {
        // A small one is written at once.
        guard length > PartFile.allocationBytesMin else { return }
        var (sum, position) = (UInt32(0), UInt64(0))
        do throws(Failure) {
            guard try await disk({ () throws(FileError) in try part.file.mayHaveHole(before: length) }) else { return }
            while position < length, !Task.isCancelled {
                let (seed, turn) = (sum, position..<min(length, position + RunningDigest.turnBytesMax))
                sum = try await worker.blocking.run { () throws(Failure) in
                    var sum = seed
                    try RunningDigest.read(turn, of: part.file) { sum = CRC32C.checksum($0, seed: sum) }
                    return sum
                }
                position = turn.upperBound
            }
        } catch { throw ending(error) }
        guard position == length else { throw .stopped }
        if sum != sums.crc32c { throw ending(PartFile.altered(part.path)) }
    }

    /// Puts on record which sources gave wrong bytes to a whole that did not fit together, now that the right one is
    /// here. It is a help to people and to the next attempt: what can not be read is passed over.
    private func blameGivers(besides part: PartFile) async throws(Ending) {
        guard let mixed = withState({ $0.mixed }) else { return }
        var wrong: Set<Int> = []
        for (bytes, source) in mixed.given where !wrong.contains(source) {
            guard let holds = try await holds(bytes, of: part, in: mixed.path) else { return }
            if !holds { wrong.insert(source) }
        }
        withState { [wrong] state in
            for source in wrong.sorted() where source != state.machine.leading {
                state.machine.drop(
                    source, Failure(.digestMismatch, "it gave bytes that are not the file's", isRetryable: false))
            }
        }
    }

    /// The modification time that the finished file is to have; nil when none was asked for, or none was stated.
    private func modifiedNanoseconds(of origin: Origin?) -> Int64? {
        guard assignment.order.options.value.keepsRemoteTime else { return nil }
        let modified = origin?.modified(now: worker.clock.now())
        // No file system keeps a year that these bits do not hold.
        return modified.flatMap { Int64(exactly: Int128($0.milliseconds) * 1_000_000) }
    }

    /// What the order, or the origin itself, says of the whole and is not so; nil when all is as it should be.
    func contradiction(
        of sums: RunningDigest.Sums, _ length: UInt64, expected: Digest?
    ) -> (code: Failure.Code, words: String)? {
        if let expected, expected != sums.stated {
            let claim = assignment.order.expected == nil ? "the origin states \(expected)" : "\(expected) is expected"
            return (.digestMismatch, "the file's digest is \(sums.stated) where \(claim)")
        }
        if let expected = assignment.order.options.value.expectedLength, expected != length {
            return (.entityChanged, "the file has \(length) bytes where \(expected) are expected")
        }
        return nil
    }

    private func publish(_ item: Publication.Item) async -> Ending {
        do throws(Ending) { try await requirePlace() } catch { return error }
        do throws(Publication.Problem) {
            return .completed(path: try await worker.publication.publish(item).path)
        } catch {
            switch error {
            case .stopped: return .stopped
            case .failed(let failure, let isVerified):
                withState { $0.isVerified = isVerified }
                guard failure.code == .destinationTaken, !isVerified else { return .failed(failure) }
                // What came to stand there meanwhile is taken as the file, where that was asked for.
                do throws(Ending) { try await meetStanding(named: item.name) } catch { return error }
                return .failed(failure)
            }
        }
    }

    /// Carries on where a crash cut a publication short: the part is whole and its final path is on record.
    func finishPublication(_ verified: Assignment.Verified) async -> WorkerEnd {
        var item = Publication.Item(
            lease: assignment.lease, destination: assignment.order.destination,
            partPath: partPath(assignment.generation), verifiedPath: verified.path, length: verified.length,
            sha256: verified.sha256, replaced: assignment.replaced)
        item.modifiedNanoseconds = modifiedNanoseconds(of: assignment.origin)
        do throws(Ending) {
            try await requirePlace()
            try await clearParts(keeping: assignment.generation)
            item.proven = try await proven(verified)
            throw await publish(item)
        } catch {
            switch error {
            case .completed(let path): return .completed(path: path)
            case .stopped: return .stopped
            case .failed(let failure): return await fail(failure)
            }
        }
    }

    /// What tells the part, or the file where a crash came after its rename, from others, once it was hashed; nil when
    /// it is not what was verified. Done here and not by the publication, where the files of others would wait for it.
    private func proven(_ verified: Assignment.Verified) async throws(Ending) -> FileIdentity? {
        let fileSystem = worker.fileSystem
        let paths = [partPath(assignment.generation), FilePath(verified.path)]
        let digest = RunningDigest(stated: nil)
        let status: FileStatus
        do throws(Failure) {
            let found = try await disk { () throws(FileError) -> (FilePath, FileStatus)? in
                for path in paths {
                    if let status = try fileSystem.status(of: path) { return (path, status) }
                }
                return nil
            }
            guard let found, found.1.kind == .regular, found.1.length == verified.length else { return nil }
            status = found.1
            let file = try await disk { () throws(FileError) in try fileSystem.open(found.0, .read) }
            defer { file.close() }
            try await follow(file, with: digest, to: verified.length)
        } catch { throw .failed(error) }
        guard digest.position == verified.length else { throw .stopped }
        return digest.finish().sha256 == verified.sha256 ? status.identity : nil
    }

    /// Records that the attempt failed, with what became durable in it, and when it is made again.
    func fail(_ reason: Failure) async -> WorkerEnd {
        do throws(Failure) { try await leaveDoubt() } catch {
            // What can not be removed now, the next attempt removes first.
        }
        // Of a part with pieces only those that were wrong are lost.
        let (rejected, isPartLost, isAllLost) = withState {
            ($0.rejected, $0.isPartLost, $0.isPartLost && $0.checks == nil)
        }
        var reports =
            if let rejected {
                [rejected.release]
            } else if isAllLost {
                releaseLost()
            } else {
                await finalReports()
            }
        var losses: UInt32 = 0
        if isPartLost, !isAllLost, var known = assignment.origin,
            withState({ $0.recordedGeneration }) == assignment.generation
        {
            // Each time counts, however far it came: what is wrong again and again comes from the origin.
            known.beginnings = known.beginnings.addingClamped(1)
            losses = known.beginnings
            reports.insert(.resolved(known, generation: assignment.generation), at: 0)
        }
        var failure = reason
        failure.poisonsPart = withState { $0.part?.poison } != nil
        // Bytes that an earlier attempt held already are no progress: an origin that gets no further fails in the end.
        let before = assignment.durable.ranges.count
        let isStanding = assignment.standing != nil
        let (gained, isClaimed, generation, origin) = withState {
            (
                $0.hasProgressed ? max(before, $0.part?.durable.ranges.count ?? 0) - before : 0,
                $0.isVerified || $0.generation == $0.recordedGeneration && !$0.recordedBytes.isEmpty, $0.generation,
                $0.machine.held?.origin ?? assignment.origin
            )
        }
        failure.isExcused = isExcused(failure)
        let retryAt =
            isPartLost && failure.isRetryable && losses <= retriesMax
            // No refusal of anyone's, and not counted as one.
            ? worker.clock.now()
            : retryAt(after: failure, gained: gained, beginnings: max(origin?.beginnings ?? 0, losses))
        do throws(Ending) {
            try await report(reports + [.failed(failure, retryAt: retryAt)])
        } catch { return .stopped }
        do throws(Failure) {
            if let rejected {
                try await setAside(rejected.part, at: rejected.target)
            } else if generation > 0, isAllLost || reports.isEmpty && !isClaimed || retryAt == nil && isStanding {
                // Nothing claims it (any longer, when the file that stands remains) and nothing could continue it.
                try await removePart(partPath(generation))
            }
        } catch {
            return .failed(error, retryAt: retryAt)
        }
        return .failed(failure, retryAt: retryAt)
    }

    /// How a failure at the part ends the run. A part that is not what was received is claimed no longer: it is fetched
    /// anew at once, when an earlier attempt left it. One that was changed within a single attempt is the end: what
    /// alters every part would be fed for ever.
    func ending(_ failure: Failure) -> Ending {
        guard failure.code == .partLost else { return .failed(failure) }
        // What stands beside the part on record may go.
        let isDoubtful = withState { $0.machine.isDoubtful }
        withState { $0.isPartLost = !isDoubtful }
        var failure = failure
        failure.isRetryable = isDoubtful || !assignment.durable.ranges.isEmpty
        if withState({ $0.checks == nil }) {
            failure.message += failure.isRetryable ? "; it is fetched anew" : "; 'ledger retry' fetches it anew"
        }
        return .failed(failure)
    }

    /// Lets the log claim nothing of the part on record: the next generation, which holds nothing.
    private func releaseLost() -> [Report] {
        let (recorded, origin) = withState { ($0.recordedGeneration, $0.machine.held?.origin ?? assignment.origin) }
        guard recorded > 0, let origin else { return [] }
        return [.resolved(origin, generation: recorded.addingClamped(1))]
    }

    /// A run that was stopped leaves its part, and puts on record what it can.
    func leave() async {
        // Nor is what stands beside the part on record removed: a report that was cut off may claim it.
        guard withState({ !$0.machine.isDoubtful }) else { return }
        var reports = await finalReports()
        // Whoever comes next has to know that the part is poisoned.
        if let poison = withState({ $0.part?.poison }) {
            var failure = poison
            failure.poisonsPart = true
            reports = [.failed(failure, retryAt: worker.clock.now())]
        }
        guard !reports.isEmpty else { return }
        do throws(WorkerStop) {
            try await worker.reporting.report(assignment.lease, reports)
            noteRecorded(reports)
        } catch {
            // The lease has passed or the ledger is closed: whoever comes next starts from what is on record.
            return
        }
    }

    /// What became durable and could be continued; nothing when the part can not be synced.
    private func finalReports() async -> [Report] {
        guard withState({ !$0.isVerified && $0.machine.canResume }) else { return [] }
        do throws(Failure) { return try await unrecorded() } catch { return [] }
    }
}

extension File {
    /// Whether a range has the same bytes here as in another file.
    func holds(_ range: Range<UInt64>, as other: any File) throws(FileError) -> Bool {
        var position = range.lowerBound
        while position < range.upperBound {
            let count = Int(min(UInt64(RunningDigest.blockBytes), range.upperBound - position))
            if try bytes(at: position, count: count) != other.bytes(at: position, count: count) { return false }
            position += UInt64(count)
        }
        return true
    }
}
