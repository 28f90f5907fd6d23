import LedgerAPI
import LedgerHolder
import LedgerModel
import SystemPackage

extension Aria2Endpoint {
    /// Lets a request that is to fail where a file stands take that file when it is what the request asks for: the
    /// ledger fetched it from there itself.
    func takeOwn(_ request: inout EnqueueRequest) async throws(Fault) {
        guard request.collision == .refuse, let url = Self.url(request.url)?.redacted else { return }
        let (directory, name) = (request.directory, request.name)
        let own = try await look { state in
            state.queue.downloads(from: url).lazy.compactMap { download -> PublishedFile? in
                guard download.phase == .completed, let file = download.shownFile else { return nil }
                let name = name ?? download.origin?.value.suggestedName ?? download.order.plannedName
                return file.path == Destination(directory: directory, name: name).path ? file : nil
            }.first
        }
        guard let path = own?.path else { return }
        // By its name: what the origin would call it today may be another file. Whether it still is ours is looked at
        // when the download begins, as for all that is confined.
        request.name = FilePath(path).lastComponent?.string
        request.collision = .skip
    }
}
