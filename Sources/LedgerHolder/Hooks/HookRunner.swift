import LedgerAPI
import LedgerEngine
import LedgerModel
import LedgerSystem

/// Tells one hook of events, in order, from the cursor that stands in the ledger: what was told is recorded before the
/// next is told, so a crash makes one of them be told twice and none be left out. Replaying a log tells nobody.
struct HookRunner: Sendable {
    /// After how many events that are no concern of the hook its cursor moves on nevertheless.
    static let passedMax = 10_000
    /// The first pause after the hook failed; twice as long each time.
    static let pauseMin = Duration.seconds(1)
    /// The longest pause after the hook failed.
    static let pauseMax = Duration.seconds(300)

    let ledger: Ledger
    let target: HookTarget
    /// Where it notes what it is at.
    let work: HookWork
    /// Is told whenever it has come further, or fails.
    let moved: @Sendable () -> Void
    let rows: @Sendable (DownloadID) async throws(Problem) -> DownloadRow?
    let send: @Sendable (HookMessage) async -> HookFailure?
    let notice: @Sendable (Problem) -> Void

    /// Tells until the task is cancelled or the ledger is closed; or everything up to an event, each once: what is not
    /// taken then is told the next time.
    func run(through end: SequenceNumber? = nil) async {
        // Whoever waits for the hooks does not wait for one that is told of nothing any more.
        defer { noteFailing() }
        var (pause, before) = (Self.pauseMin, SequenceNumber.zero)
        while true {
            do throws(Problem) {
                guard let cursor = try await register() else { return }
                if let end, cursor >= end { return }
                // It came further in between: what fails now is another fault.
                if cursor > before { (pause, before) = (Self.pauseMin, cursor) }
                return try await tell(after: cursor, through: end)
            } catch {
                if error.code == .closed || Task.isCancelled { return }
                notice(error)
            }
            // A full disk, or a log that can not be read for want of a descriptor, passes; what has an end does not
            // wait for that.
            if end != nil || work.isEnded { return }
            noteFailing()
            let clock = ledger.world.clock
            do { try await clock.sleep(until: clock.uptime() + pause) } catch { return }
            pause = min(pause * 2, Self.pauseMax)
        }
    }

    /// The last event that the hook was told of; for a new one the last there is. Nil when it is refused for good.
    private func register() async throws(Problem) -> SequenceNumber? {
        let outcomes = try await execute(.hook(name: target.name, details: target.details))
        for case .refused(let rejection) in outcomes {
            notice(Problem(rejection))
            return nil
        }
        let name = target.name
        do throws(LedgerError) {
            return try await ledger.read { state in state.library.hooks[name]?.cursor ?? state.sequence }
        } catch { throw Problem(error) }
    }

    private func tell(after cursor: SequenceNumber, through end: SequenceNumber?) async throws(Problem) {
        var (last, passed) = (cursor, 0)
        note(passed: last)
        var batches = ledger.events(after: cursor, as: "hook " + target.details).makeAsyncIterator()
        while true {
            let batch: [Recorded]?
            do throws(LedgerError) { batch = try await batches.next() } catch {
                // What it was not told of has left the log, and is in no archive: it goes on behind that.
                guard case .compacted(_, let through, _) = error, through > last else { throw Problem(error) }
                tellOfGap(
                    after: last, before: through.next, because: "they left the log before it could be",
                    next: "'ledger replay --from \(last.next)' shows them if they are in the archive")
                last = through
                if let end, last >= end { return }
                batches = ledger.events(after: last, as: "hook " + target.details).makeAsyncIterator()
                continue
            }
            guard let batch else { return }
            for event in batch {
                if event.sequence > last.next {
                    tellOfGap(
                        after: last, before: event.sequence, because: "what they held was redacted before it could be")
                }
                last = event.sequence
                passed += 1
                let occasion = HookOccasion(event.event)
                if let occasion, target.occasions.contains(occasion), let id = event.id {
                    let message = HookMessage(occasion, event, of: id, try await rows(id), ledger: ledger.identity)
                    guard await deliver(message, isOnce: end != nil) else { return }
                } else if passed < Self.passedMax {
                    if last == end { return }
                    continue
                }
                passed = 0
                _ = try await execute(.deliver(hook: target.name, through: last))
                work.noteFailing(target.name, false)
                if last == end { return }
            }
            note(passed: last)
        }
    }

    /// Until it is taken; false when there is no more time for that.
    private func deliver(_ message: HookMessage, isOnce: Bool) async -> Bool {
        var (pause, isFirst) = (Self.pauseMin, true)
        while !Task.isCancelled, !work.isEnded {
            // The first time it arrives, though there be nothing more to wait for; then it is told the next time.
            let failure = isFirst ? await work.send { [send] in await send(message) } : await send(message)
            work.noteTaken(target.name, failure == nil)
            guard let failure else { return true }
            isFirst = false
            noteFailing()
            if Task.isCancelled || work.isEnded { return false }
            notice(
                Problem(
                    .refused, "the hook '\(target.details)' was not told of event \(message.key): \(failure.message)",
                    next: isOnce
                        ? "it is told when 'ledger run' has this hook again"
                        : "it is told again in \(pause.components.seconds) s, and nothing else before that"))
            if isOnce { return false }
            let clock = ledger.world.clock
            do { try await clock.sleep(until: clock.uptime() + pause) } catch { return false }
            pause = min(pause * 2, Self.pauseMax)
        }
        return false
    }

    private func note(passed sequence: SequenceNumber) {
        work.notePassed(target.name, sequence)
        work.noteFailing(target.name, false)
        moved()
    }

    private func noteFailing() {
        work.noteFailing(target.name, true)
        moved()
    }

    private func tellOfGap(
        after last: SequenceNumber, before following: SequenceNumber, because cause: String, next: String? = nil
    ) {
        notice(
            Problem(
                .refused, "the hook '\(target.details)' is not told of events \(last.next) to \(following.previous)",
                cause: cause, next: next))
    }

    private func execute(_ command: LibraryCommand) async throws(Problem) -> [Outcome] {
        do throws(LedgerError) {
            return try await ledger.execute([Submission(.library(command), id: nil, actor: .maintenance)])
        } catch { throw Problem(error) }
    }
}

/// Why a hook did not take what it was told.
struct HookFailure: Hashable, Sendable {
    /// In words, without secrets.
    let message: String
}
