package import LedgerModel
import LedgerSystem

// What no commit has to wait for: zeros for the batches to come, and the head that tells a lost tail.
extension WriteAheadLog {
    /// Whether ``prepare(at:)`` has something to do. Costs no disk access.
    package func isPreparationDue(at now: Timestamp) -> Bool {
        failure == nil && (segment?.needsZeros(configuration) ?? false || isHeadDue(at: now))
    }

    /// Does one piece of what can wait: a block of zeros ahead of the batches, else the head when it lags. One write
    /// and one `fdatasync(2)`, 1-5 ms on a disk; call it behind a commit, and again while ``isPreparationDue(at:)``.
    ///
    /// A full disk leaves it undone: the next commit asks for its room itself, and the head is tried again later.
    /// - Throws: ``LogError`` with code `.io`. What was committed stands; the log is closed for good.
    package mutating func prepare(at now: Timestamp) throws(LogError) {
        try check()
        if segment?.needsZeros(configuration) ?? false {
            try fatal("write zeros ahead") { (log) throws(FileError) in
                try log.segment?.fillBlock(log.configuration)
            }
        } else if isHeadDue(at: now) {
            headTime = now
            try fatal("note how far the log goes") { (log) throws(FileError) in
                do throws(FileError) { try log.writeHead() } catch { guard error.isDiskFull else { throw error } }
            }
        }
    }

    /// How long until the head is due, if no more is committed; nil when it says all there is.
    package func headDelay(at now: Timestamp) -> Duration? {
        guard failure == nil, head.size != tree.size, let headTime else { return nil }
        return max(.zero, .milliseconds(configuration.headLagMilliseconds) - headTime.duration(to: now))
    }

    /// Whether the head has lagged for long enough; a clock that was set back counts as long enough.
    private func isHeadDue(at now: Timestamp) -> Bool {
        guard head.size != tree.size, let lag = headTime?.duration(to: now) else { return false }
        return lag >= .milliseconds(configuration.headLagMilliseconds) || lag < .zero
    }
}
