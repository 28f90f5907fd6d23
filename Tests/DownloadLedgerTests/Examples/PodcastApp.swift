import DownloadLedger
import Foundation
import Observation

/// All that the app does.
@MainActor @Observable
final class PodcastApp {
    private(set) var podcasts: [Listing] = []
    private(set) var episodes: [Listing.Entry] = []
    private(set) var message: String?
    let queue: DownloadList
    private let ledger: DownloadLedger

    init(at directory: URL, isExpensive: @escaping @Sendable () -> Bool) async throws {
        var configuration = LedgerConfiguration()
        configuration.runningMax = 3
        configuration.policy = { isExpensive() ? .metered : nil }
        ledger = try await DownloadLedger.open(at: directory, configuration: configuration)
        queue = DownloadList(ledger, .queue)
    }

    /// Shows what happens, for as long as the app is there.
    func run() async {
        let changes = ledger.changes
        async let queue: Void = queue.follow()
        await reload()
        for await change in changes {
            switch change {
            case .finished(let download): message = "\(download.name) is here"
            case .failed(let download, let error): message = "\(download.name): \(error.message)"
            case .removed, .missed: break
            case .added, .changed, .progressed: continue
            }
            await reload()
        }
        await queue
    }

    /// Keeps the three newest episodes of a podcast here, from now on.
    func subscribe(to feed: URL) async {
        await attempt { () async throws(DownloadError) in
            var following = Listing.Following(.feed)
            following.isAutomatic = true
            following.newestMax = 3
            try await ledger.follow(feed, following)
        }
    }

    func refresh() async {
        await attempt { () async throws(DownloadError) in _ = try await ledger.refresh() }
    }

    /// Downloads an episode, and keeps it here however many are newer: else an older one would go at once.
    func download(_ episode: Listing.Entry) async {
        await attempt { () async throws(DownloadError) in
            let handle = try await ledger.enqueue(episode)
            _ = try await ledger.pin(.ids([handle.id]))
        }
    }

    func togglePause(_ download: Download) async {
        await attempt { () async throws(DownloadError) in
            if download.state == .paused {
                try await ledger.resume(download.id)
            } else {
                try await ledger.pause(download.id)
            }
        }
    }

    /// Keeps an episode here, whatever is newer.
    func pin(_ download: Download) async {
        await attempt { () async throws(DownloadError) in _ = try await ledger.pin(.ids([download.id])) }
    }

    /// What to play: the file, if it is here and whole, else the stream.
    func player(for episode: Listing.Entry) async -> URL {
        do throws(DownloadError) { return try await ledger.playbackURL(of: episode) } catch { return episode.url }
    }

    func close() async { await ledger.close() }

    private func reload() async {
        await attempt { () async throws(DownloadError) in
            podcasts = try await ledger.listings()
            var all: [Listing.Entry] = []
            for podcast in podcasts { all += try await ledger.entries(of: podcast.id) }
            episodes = all
        }
    }

    /// Does something, and shows why it could not be done.
    private func attempt(_ work: () async throws(DownloadError) -> Void) async {
        do throws(DownloadError) { try await work() } catch { message = error.message }
    }
}
