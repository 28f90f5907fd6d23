import LedgerSystem

extension EventReader {
    /// How many events are read at least before they are handed over, where there are as many: a hand-over costs as
    /// much as a few of them.
    static let eventsAtOnceMin = 1024
    /// How many hand-overs the reader is ahead at most.
    static let aheadMax = 4

    /// Batches that are handed over together, in room that is used again.
    private struct Bundle: Sendable {
        var batches: [Batch] = []
        var count = 0
        /// What comes behind the batches when nothing more does: the durable end, or why reading can not go on.
        var end: Result<Void, LedgerError>?

        /// Reads batches until they are enough, or there are no more.
        mutating func fill(from reader: inout EventReader) {
            // Only the last one can be much longer than is enough: its room would stay for the sake of that one.
            if count > 0, batches[count - 1].events.count > EventReader.eventsAtOnceMin { batches[count - 1] = Batch() }
            var events = 0
            count = 0
            while events < EventReader.eventsAtOnceMin {
                if count == batches.count { batches.append(Batch()) }
                do throws(LedgerError) {
                    guard try reader.next(into: &batches[count]) else {
                        end = .success(())
                        return
                    }
                } catch {
                    end = .failure(error)
                    return
                }
                // Also a batch of which this program knows no event is one.
                events += max(1, batches[count].events.count)
                count += 1
            }
        }
    }

    /// Reads every batch from here to the durable end, on a thread of its own, while `take` works on those before it.
    /// Blocks.
    /// - Parameter take: takes the next batch; false when no more are wanted.
    /// - Throws: what `take` throws; ``LedgerError`` as ``next()`` does, once every batch before that was taken.
    package func readAhead(_ take: (Batch) throws(LedgerError) -> Bool) throws(LedgerError) {
        let rooms = Array(repeating: Bundle(), count: Self.aheadMax)
        try AheadOfCaller.run(from: self, rooms: rooms) { reader, bundle in
            bundle.fill(from: &reader)
            return bundle.end == nil
        } take: { bundle throws(LedgerError) in
            for place in 0..<bundle.count where try !take(bundle.batches[place]) { return false }
            try bundle.end?.get()
            return true
        }
    }
}
