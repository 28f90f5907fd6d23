public import FoundationEssentials
import LedgerAPI
package import LedgerEngine
import LedgerHolder
import LedgerModel
import LedgerSystem
import Synchronization
import SystemPackage

/// A ledger of downloads that this process holds: what is asked of it is durable when the call returns, survives any
/// crash, and goes on at the next ``open(at:configuration:)``.
///
/// ```swift
/// let ledger = try await DownloadLedger.open(at: directory)
/// let handle = try await ledger.enqueue(url)
/// for await progress in handle.progress { show(progress.fraction ?? 0) }
/// play(try await handle.value)
/// ```
///
/// One process holds a ledger at a time. Open it once and share it: it is `Sendable`, and its methods may be called
/// from anywhere. It holds up to 10,000,000 downloads that have not ended, see ``LedgerConfiguration/queuedMax``.
public final class DownloadLedger: Sendable {
    let service: LedgerService
    let board: Board
    let configuration: LedgerConfiguration
    private let work: Mutex<[Task<Void, Never>]>
    /// The closing that is on its way, or done: whoever closes waits for the same.
    private let closing = Mutex<Task<Void, Never>?>(nil)
    /// Ends once what there is at the beginning is known: all behind it is told as a change.
    private let begun: AsyncStream<Never>

    private init(_ service: LedgerService, _ configuration: LedgerConfiguration) {
        self.service = service
        self.configuration = configuration
        let board = Board()
        self.board = board
        let log = ChangeLogger(configuration)
        let (begun, begin) = AsyncStream.makeStream(of: Never.self)
        self.begun = begun
        let showing = Task {
            do throws(Problem) {
                try await service.watchEverything { rows, touched in
                    let news = Board.News(
                        added: Set(touched.added.map { Download.ID($0.rawValue) }),
                        ended: Set(touched.ended.map { Download.ID($0.rawValue) }))
                    for change in board.take(rows.map(Download.init), news) { log.tell(change) }
                    begin.finish()
                    return true
                }
            } catch { board.end(DownloadError(error)) }
            begin.finish()
        }
        let running = Task {
            do throws(LedgerError) { try await service.run(untilIdle: false) } catch { board.end(DownloadError(error)) }
        }
        work = Mutex([running, showing])
    }

    /// Opens the ledger in a directory of its own, making both on first use, and goes on with what is in it.
    ///
    /// ```swift
    /// do throws(DownloadError) {
    ///     ledger = try await DownloadLedger.open(at: directory)
    /// } catch {
    ///     show(error.code == "held" ? "The app is open already." : error.message)
    /// }
    /// ```
    ///
    /// Reads a snapshot and what was recorded since: some milliseconds for each 10,000 downloads.
    /// - Parameters:
    ///   - directory: a file URL. Nothing else may write in there; files go elsewhere, or into its `downloads`.
    ///   - configuration: holds for as long as the ledger is open; another one may be given at the next start.
    /// - Throws: ``DownloadError``: `held` when this or another process has it open; `corrupted` and `tampered` when
    ///   the log is damaged or was edited, `missing` when a part of it is gone, `too-new` when a later version wrote
    ///   it; `disk`, `disk-full`; `bad-destination` when the URL, or ``LedgerConfiguration/directory``, is none of a
    ///   file; `usage` for a bound in the configuration that nothing could keep.
    public static func open(
        at directory: URL, configuration: LedgerConfiguration = LedgerConfiguration()
    ) async throws(DownloadError) -> DownloadLedger {
        try await open(at: directory, configuration: configuration, world: .system())
    }

    /// Opens the ledger in a world that may be a test's.
    package static func open(
        at directory: URL, configuration: LedgerConfiguration, world: World
    ) async throws(DownloadError) -> DownloadLedger {
        for url in [directory, configuration.directory, configuration.container].compactMap(\.self) {
            try requireFile(url)
        }
        try configuration.requireBounds()
        let home = LedgerHome(FilePath(directory.path(percentEncoded: false)))
        let service: LedgerService
        do throws(LedgerError) {
            service = try await LedgerService.open(home, configuration.service(), world: world)
        } catch { throw DownloadError(error) }
        do throws(Problem) {
            // What is begun where the container was can not be finished there.
            try await Container(configuration, of: home)?.settle(service)
        } catch {
            await service.close()
            throw DownloadError(error)
        }
        let ledger = DownloadLedger(service, configuration)
        for await _ in ledger.begun {}
        return ledger
    }

    /// - Throws: ``DownloadError``: `bad-destination` for the URL of something else than a file or a directory.
    static func requireFile(_ url: URL) throws(DownloadError) {
        guard url.isFileURL else {
            throw DownloadError("bad-destination", "'\(url)' is no place on this machine")
        }
    }

    /// Stops what runs, once what was received is durable and recorded, and gives the ledger back.
    ///
    /// ```swift
    /// await ledger.close()
    /// let again = try await DownloadLedger.open(at: directory)
    /// ```
    ///
    /// Handles that wait end with `closed`, streams end. Later calls throw `closed`; whoever closes it again waits
    /// until it is closed. An app that is killed instead loses nothing but, at most, about a second of each running
    /// download. A ledger that is let go of without this works on and stays held until the app ends.
    public func close() async {
        let task = closing.withLock { closing in
            let task = closing ?? Task { await end() }
            closing = task
            return task
        }
        await task.value
    }

    private func end() async {
        let tasks = work.withLock { work in
            defer { work = [] }
            return work
        }
        guard let running = tasks.first else { return }
        await service.drain()
        await running.value
        for task in tasks { task.cancel() }
        // The last look is told before the streams end.
        for task in tasks { await task.value }
        board.end(DownloadError("closed", "the ledger was closed", next: "open it again: it goes on"))
        await service.close()
    }

    /// Has ``LedgerConfiguration/policy`` asked at once: the network came, went or became another.
    ///
    /// ```swift
    /// monitor.isOnline = true
    /// ledger.networkChanged()
    /// ```
    public func networkChanged() { service.reconsider() }

    /// What happens from now on, in order, until the ledger is closed. Each call makes a stream of its own; one that is
    /// not read keeps ``DownloadChange/bufferedMax`` changes and says ``DownloadChange/missed`` for the rest.
    ///
    /// ```swift
    /// let changes = ledger.changes
    /// let handle = try await ledger.enqueue(url)
    /// for await case .finished(let download) in changes {
    ///     notify("\(download.name) is here")
    ///     break
    /// }
    /// ```
    public var changes: AsyncStream<DownloadChange> { board.changes() }

    /// What happens to one download.
    func looks(at id: Download.ID) -> AsyncStream<Board.Look> {
        board.looks(at: id) { [service] in
            do throws(Problem) {
                let id = LedgerModel.DownloadID(id.rawValue)
                guard let row = try await service.rows(of: [id])[id] else {
                    return .lost(DownloadError("not-found", "there is no download \(id)"))
                }
                return .download(Download(row))
            } catch { return .lost(DownloadError(error)) }
        }
    }

    /// The name of a command: the ledger takes each only once.
    var newCommand: CommandID {
        let world = service.ledger.world
        return CommandID(high: world.random(), low: world.random())
    }
}
