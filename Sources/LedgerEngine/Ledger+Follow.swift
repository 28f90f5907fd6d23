package import LedgerModel
import LedgerSystem

extension Ledger {
    /// How long one who follows rests after the log could not be read, or what it does with it failed; twice as long
    /// each time, up to ``followPauseMax``.
    package static let followPauseMin = Duration.seconds(1)
    /// The longest such rest.
    package static let followPauseMax = Duration.seconds(60)

    /// Does `body` with every batch after `sequence`, until the ledger is closed or the task is cancelled. What fails
    /// meanwhile, for want of a descriptor or of room, passes: the same batch comes again a moment later. What was
    /// compacted away before it was read is passed over.
    /// - Parameter name: as what it is listed in ``lags``.
    package func follow(
        after sequence: SequenceNumber, as name: String, isolation: isolated (any Actor)? = #isolation,
        _ body: ([Recorded]) async throws(LedgerError) -> Void
    ) async {
        var batches = events(after: sequence, as: name).makeAsyncIterator()
        var (pending, pause) = ([Recorded]?.none, Self.followPauseMin)
        while !Task.isCancelled {
            do throws(LedgerError) {
                if pending == nil { pending = try await batches.next(isolation: isolation) }
                guard let batch = pending else { return }
                try await body(batch)
                (pending, pause) = (nil, Self.followPauseMin)
            } catch {
                switch error {
                case .closed: return
                case .compacted(_, let through, _):
                    batches = events(after: through, as: name).makeAsyncIterator()
                default:
                    do { try await world.clock.sleep(until: world.clock.uptime() + pause) } catch { return }
                    pause = min(pause * 2, Self.followPauseMax)
                }
            }
        }
    }
}
