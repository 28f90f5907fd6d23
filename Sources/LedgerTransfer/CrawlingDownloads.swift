import LedgerModel
import Synchronization

/// Which downloads get on by hardly any bytes with each attempt, and how many attempts in a row brought them so little.
final class CrawlingDownloads: Sendable {
    /// How many are remembered; beyond it all are forgotten.
    static let downloadsMax = 1024

    private let attempts = Mutex<[DownloadID: UInt32]>([:])

    /// Notes what an attempt that failed brought.
    /// - Returns: how many in a row brought a download some bytes and fewer than count as progress.
    func note(_ id: DownloadID, bytes: UInt64) -> UInt32 {
        attempts.withLock { attempts in
            guard bytes < WorkerStateMachine.continuationBytesMin else {
                attempts[id] = nil
                return 0
            }
            let before = attempts[id]
            guard bytes > 0 else { return before ?? 0 }
            if attempts.count >= Self.downloadsMax, before == nil { attempts = [:] }
            let now = (before ?? 0) + 1
            attempts[id] = now
            return now
        }
    }
}
