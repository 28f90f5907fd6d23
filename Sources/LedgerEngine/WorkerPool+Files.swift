import LedgerModel
import LedgerSystem
import LedgerTransfer

/// The files of downloads, at the start and behind a worker.
extension WorkerPool {
    /// Compares the files with the log where that was not done since the start. What is found there and the home has no
    /// room to record is left for later, and nothing is begun before.
    func reconcile() async throws(LedgerError) {
        let now = ledger.world.clock.uptime()
        if let lookAgainAt, lookAgainAt > now { return }
        if lookAgainAt != nil, !(await hasRoom(for: Self.recordBytesMin, in: ledger.home.path)) {
            lookAgainAt = now + Self.restWithoutRoom
            return
        }
        guard !isReconciled || lookAgainAt != nil else { return }
        lookAgainAt = nil
        do throws(LedgerError) {
            if !isReconciled {
                unread = try await reconciler.reconcileUnread()
                try await endStalls()
                isReconciled = true
            }
        } catch {
            try await putOff(error)
            return
        }
        reader = Task { await self.readOn() }
    }

    /// Has those tried again now whose attempt was put off under a clock that was ahead.
    private func endStalls() async throws(LedgerError) {
        let latest = ledger.world.clock.now().advanced(by: worker.settings.waitMax)
        let ids = try await ledger.read { $0.queue.retried(after: latest) }
        guard !ids.isEmpty else { return }
        _ = try await ledger.execute(ids.map { Submission(.retry($0), id: nil, actor: .maintenance) })
    }

    /// Reads the files that only their bytes tell of, while others are downloaded.
    private func readOn() async {
        do throws(LedgerError) {
            while !unread.isEmpty, !isDraining {
                let page = Array(unread.prefix(Reconciler.pageDownloadsMax))
                do throws(LedgerError) { try await reconciler.look(at: page) } catch {
                    try await putOff(error)
                    break
                }
                unread.removeFirst(page.count)
            }
        } catch { readingTrouble = error }
        if lookAgainAt == nil { unread = [] }
        wakeup.raise()
    }

    /// Tries again in a while what the home had no room for.
    /// - Throws: any other error.
    private func putOff(_ error: LedgerError) async throws(LedgerError) {
        guard error.isNoRoom else { throw error }
        lookAgainAt = ledger.world.clock.uptime() + Self.restWithoutRoom
        await reconciler.tell(ofNoRoom: error)
    }

    /// Removes what a worker that was stopped may have begun when its download was let go already: the part that was
    /// looked for then was not there yet.
    func clearBehind(_ id: DownloadID) async {
        do throws(LedgerError) {
            let isOver = try await ledger.read { state in
                state.queue[id].map { $0.phase == .cancelled || $0.phase == .deleted } ?? false
            }
            if isOver { try await reconciler.look(at: [id]) }
        } catch {
            // The ledger is closed, or can record nothing: the next start looks.
        }
    }
}
