import LedgerModel
import LedgerSystem
import Synchronization

/// Bytes of other sources that only a description vouches for to which the origin pointed: it is on no record, and the
/// next attempt may not have it. And the last byte, as long as it is not known whether what is held is of one file: the
/// next attempt asks for it, and is told.
extension Attempt {
    /// Which bytes those are, of what is written, as long as no hash of the description has judged them.
    func unvouched(_ flow: Flow?) -> ByteRangeSet {
        // First those that run: who ends meanwhile is among those that were given.
        let running = flow?.given ?? []
        return withState { state in
            var bytes = ByteRangeSet()
            if !state.machine.isBound, let own = state.machine.held?.source {
                for (given, source) in state.given + running where source != own { bytes.insert(given) }
                bytes = bytes.subtracting(state.checks?.right ?? ByteRangeSet())
            }
            if state.machine.dispute.isOpen, let length = state.machine.held?.origin.length, length > 0 {
                bytes.insert(length - 1..<length)
            }
            return bytes
        }
    }

    /// Takes them out of a part in which every byte has come, when the description did not hold; they come again from
    /// the source of the others.
    /// - Returns: what comes next; nil when there are none.
    func returnUnvouched(of part: PartFile) -> WorkerStateMachine.Action? {
        let others = unvouched(nil)
        guard !others.isEmpty else { return nil }
        for range in others.ranges { part.forget(range) }
        live.update { $0.received -= min($0.received, others.count) }
        return withState { state in
            state.given.removeAll { $0.source != state.machine.held?.source }
            state.digest = RunningDigest(stated: state.machine.expected?.algorithm, absorbs: true)
            return state.machine.comesAgain(held: part.written)
        }
    }

    /// What the order says of the pieces and is not so, where they could not be checked on the way: the length was not
    /// known, or they are very long. Nil when all is as it should be, or a digest of the whole said so.
    func contradictionOfPieces(
        in part: PartFile, _ length: UInt64
    ) async throws(Ending) -> (code: Failure.Code, words: String)? {
        let isChecked = withState { $0.checks != nil }
        guard let hashes = assignment.order.pieces?.value, assignment.order.expected == nil, !isChecked else {
            return nil
        }
        guard hashes.fits(length) else {
            let expected = "\(hashes.count) pieces of \(hashes.pieceLength) bytes"
            return (.digestMismatch, "the file has \(length) bytes where \(expected) are expected")
        }
        for index in 0..<hashes.count {
            let expected = hashes[index]
            let sum = Mutex(HashFunction(expected.algorithm))
            try await inTurns(hashes.range(of: index, length: length)) { turn throws(Failure) in
                var hash = sum.withLock { $0 }
                try RunningDigest.read(turn, of: part.file) { hash.update($0) }
                sum.withLock { [hash] in $0 = hash }
                return true
            }
            guard sum.withLock({ $0.digest }) == expected else {
                return (
                    .digestMismatch, "piece \(index + 1) of \(hashes.count) of the file is not what it must hash to"
                )
            }
        }
        return nil
    }

    /// Does `body` with a range of a file, turn by turn where it may block, until it says false.
    /// - Returns: whether it never did.
    /// - Throws: that the run was stopped meanwhile; what `body` throws.
    @discardableResult
    func inTurns(
        _ range: Range<UInt64>, _ body: @escaping @Sendable (Range<UInt64>) throws(Failure) -> Bool
    ) async throws(Ending) -> Bool {
        for start in stride(from: range.lowerBound, to: range.upperBound, by: Int(RunningDigest.turnBytesMax)) {
            if Task.isCancelled { throw .stopped }
            let turn = start..<min(range.upperBound, start + RunningDigest.turnBytesMax)
            do throws(Failure) {
                guard try await worker.blocking.run({ () throws(Failure) in try body(turn) }) else { return false }
            } catch { throw ending(error) }
        }
        return true
    }
}
