import AppTestSupport
import DownloadLedger
import LedgerTestSupport

extension AppFixture {
    /// Waits until something is on record: the first event of this type, about this download if one is named.
    func recorded(
        _ type: String, of id: Download.ID? = nil, after sequence: UInt64 = 0
    ) async throws -> LedgerEvent {
        for try await event in ledger.events(after: sequence) where event.type == type {
            if id == nil || event.download == id { return event }
        }
        throw NothingMore(description: "the ledger was closed before '\(type)' was recorded")
    }

    /// Asks for a download until it is as it is meant to be: for figures of a transfer, which no event tells.
    func seen(_ id: Download.ID, where isMeant: (Download) -> Bool) async throws -> Download {
        while true {
            guard let download = try await ledger.download(id) else {
                throw NothingMore(description: "there is no download \(id)")
            }
            if isMeant(download) { return download }
            // Nothing that is waited for here comes after an end.
            if download.state.isEnd { throw NothingMore(description: "it ended first: \(download)") }
            await Task.yield()
        }
    }

    /// Waits until a file is gone: what is evicted goes behind the event that says so.
    func untilGone(_ name: String, in group: String? = nil) async throws {
        while try names(in: group).contains(name) { await Task.yield() }
    }

    /// Fetches a file whole.
    @discardableResult
    func fetched(_ path: String, _ bytes: [UInt8], _ options: DownloadOptions = DownloadOptions()) async throws
        -> DownloadHandle
    {
        serve(path, bytes)
        let handle = try await ledger.enqueue(try url(path), options: options)
        _ = try await handle.value
        return handle
    }

    /// How many downloads are in each state, but for those that are deleted.
    func counts() async throws -> [Download.State: Int] {
        try await ledger.downloads().reduce(into: [:]) { $0[$1.state, default: 0] += 1 }
    }

    /// Enqueues a file that is cut off half way: as much of it is durable and on record when this returns.
    func halved(_ path: String, _ bytes: [UInt8], _ options: DownloadOptions = DownloadOptions()) async throws
        -> DownloadHandle
    {
        origin.script(
            path,
            [
                { OriginEntity(bytes).reply(to: $0).cut(after: bytes.count / 2, .stall) },
                { OriginEntity(bytes).reply(to: $0) },
            ])
        let handle = try await ledger.enqueue(try url(path), options: options)
        _ = try await seen(handle.id) { $0.received == UInt64(bytes.count / 2) }
        _ = try await recorded("progressed", of: handle.id)
        return handle
    }
}

extension ManualClock {
    /// Lets time go on, since whoever sleeps may lie down later than it is moved, until something has come of that.
    func goesOn(until isMet: () -> Bool) async {
        while !isMet() {
            advance(by: .milliseconds(100))
            await Task.yield()
        }
    }
}

/// What a test waits for can not come any more.
struct NothingMore: Error, CustomStringConvertible {
    let description: String
}

/// The error that something ends with; nil when it does not.
func failure<Answer>(of body: () async throws(DownloadError) -> Answer) async -> DownloadError? {
    do throws(DownloadError) {
        _ = try await body()
        return nil
    } catch { return error }
}
