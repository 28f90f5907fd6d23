import LedgerModel
import LedgerSystem

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
    ) async throws(Failure) -> (code: Failure.Code, words: String)? {
        // What the whole hashes to is known: the digest takes nothing of a piece in any more.
        let (digest, isChecked) = withState { ($0.digest, $0.checks != nil) }
        guard let hashes = assignment.order.pieces?.value, assignment.order.expected == nil, !isChecked else {
            return nil
        }
        guard hashes.fits(length) else {
            let expected = "\(hashes.count) pieces of \(hashes.pieceLength) bytes"
            return (.digestMismatch, "the file has \(length) bytes where \(expected) are expected")
        }
        let wrong = try await worker.blocking.run { () throws(Failure) -> Int? in
            for index in 0..<hashes.count {
                let range = hashes.range(of: index, length: length)
                guard try digest.check(range, is: hashes[index], in: part.file) else { return index }
            }
            return nil
        }
        return wrong.map {
            (.digestMismatch, "piece \($0 + 1) of \(hashes.count) of the file is not what it must hash to")
        }
    }
}
