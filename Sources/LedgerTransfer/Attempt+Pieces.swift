import LedgerModel
import LedgerSystem

extension Attempt {
    /// How often one piece may be wrong, apart from those whose source was dropped for it, before the attempt fails for
    /// good.
    static let pieceTriesMax = 3
    /// How many pieces may be wrong by a description that the origin pointed to before it is given up: each is a hole
    /// that all that comes is compared with.
    static let describedWrongPiecesMax = 1024

    /// Hashes one piece that became whole, if there is one; returns whether there was. A wrong one is taken out of the
    /// part, to be fetched again alone; the source that gave all of it is asked no more, when there is another.
    func checkPiece(_ flow: Flow?) async throws(Failure) -> Bool {
        let (part, digest, checks) = withState { ($0.part, $0.digest, $0.checks) }
        guard let part, let checks, let piece = checks.due(in: part.written) else { return false }
        let isRight = try await worker.blocking.run { () throws(Failure) in
            let isRight = try digest.check(piece.range, is: piece.digest, in: part.file)
            try part.beginWriteback(to: digest.position)
            return isRight
        }
        // A part begun meanwhile has checks of its own.
        guard withState({ $0.digest === digest }) else { return true }
        if isRight {
            withState { $0.checks?.passed(piece) }
        } else {
            try reject(piece, in: part, flow)
        }
        return true
    }

    /// Checks what is left to check of a part in which every byte has come.
    /// - Returns: nil when every piece is right; else what comes next, for the pieces that are to come again.
    func checkRest(of part: PartFile) async throws(Ending) -> WorkerStateMachine.Action? {
        do throws(Failure) {
            while !Task.isCancelled, try await checkPiece(nil) {}
            try tellAlteredPieces(of: part)
        } catch { throw ending(error) }
        if Task.isCancelled { throw .stopped }
        try await reportDropped()
        return withState { state in
            guard let checks = state.checks, !checks.isComplete else { return nil }
            return state.machine.comesAgain(held: part.written)
        }
    }

    /// Ends the attempt when what an earlier one left made pieces wrong, all of them found: it is to stand on record
    /// that the part does not hold what it should, once: the next attempt fetches them, and only them, again, and so
    /// are those that it finds itself. Each end cuts streams in the middle of pieces, which would be found wrong next.
    func tellAlteredPieces(of part: PartFile) throws(Failure) {
        let count = withState { $0.alteredPieces.count }
        guard count > 0, !assignment.isLossOnRecord else { return }
        throw Failure(
            .partLost,
            "\(count) of the pieces on record in the part file '\(part.path)' are not what they must hash to: it was "
                + "changed by someone else, or they came wrong; they are fetched again", isRetryable: true)
    }

    /// Takes a wrong piece out of the part.
    private func reject(_ piece: PieceChecks.Piece, in part: PartFile, _ flow: Flow?) throws(Failure) {
        part.forget(piece.range)
        live.update { $0.received -= min($0.received, UInt64(piece.range.count)) }
        let running = flow?.givers(of: piece.range) ?? []
        let (dropped, failure) = withState { state -> (Int?, Failure) in
            let (first, last) = (piece.range.lowerBound, piece.range.upperBound - 1)
            let count = state.checks?.hashes.count ?? 0
            let failure = Failure(
                .digestMismatch,
                "piece \(piece.index + 1) of \(count) (bytes \(first) to \(last)) is not what it must hash to",
                isRetryable: false)
            let givers = running.union(state.given.filter { $0.bytes.overlaps(piece.range) }.map(\.source))
            state.given = state.given.flatMap { given in
                ByteRangeSet(given.bytes).subtracting(piece.range).ranges.map { (bytes: $0, source: given.source) }
            }
            let isLeft =
                state.generation == state.leftGeneration
                && assignment.durable.ranges.ranges.contains { $0.overlaps(piece.range) }
            if isLeft, state.alteredPieces.insert(piece.index).inserted { return (nil, failure) }
            // Who has another file is asked for that when nothing helps; a description is given up instead.
            let tries = (state.wrongPieces[piece.index] ?? 0) + 1
            let isLost = assignment.order.pieces != nil && tries >= Self.pieceTriesMax
            guard givers.count == 1, let giver = givers.first,
                state.machine.hasOther(than: giver, givingUp: isLost)
            else {
                state.wrongPieces[piece.index, default: 0] += 1
                return (nil, failure)
            }
            state.machine.drop(giver, failure)
            return (giver, failure)
        }
        if let dropped { flow?.stop(dropped) }
        flow?.board?.suspect(piece.index)
        let isDescribed = assignment.order.pieces == nil
        let isGivenUp = withState { state in
            state.wrongPieces[piece.index] ?? 0 >= Self.pieceTriesMax
                || isDescribed && state.wrongPieces.count > Self.describedWrongPiecesMax
        }
        guard isGivenUp else { return }
        // A description that the origin pointed to is a help: when it does not fit, all goes on without it.
        guard isDescribed else {
            // Who fetches ends with this, and tells nothing of what came besides, which is worth a record. Another
            // source may give it once it serves again.
            throw withState { state in
                state.machine.hold(part.written)
                var failure = failure
                failure.isRetryable = state.machine.failures.contains(where: \.isRetryable)
                return failure
            }
        }
        withState { state in
            state.machine.pieces = nil
            state.checks = nil
            state.digest = RunningDigest(stated: state.machine.expected?.algorithm, absorbs: true)
        }
    }
}
