import LedgerAPI
import LedgerCoding
import LedgerHolder
import LedgerModel

extension Aria2Endpoint {
    /// Takes URLs of a download away, and puts others in.
    func changeURIs(_ parameters: Parameters) async throws(Fault) -> WireValue {
        let (gid, index) = (try parameters.text(0), try parameters.number(1, min: 1))
        let (removed, added) = (try parameters.texts(2), try parameters.texts(3))
        let position = try parameters.optionalPosition(4)
        let found = try await find(gid)
        guard case .download(let item) = found, !item.isStopped else {
            throw .about(found.gid) { "Cannot remove URIs from \($0)" }
        }
        guard index == 1 else { throw Fault("fileIndex is out of range") }
        let before = item.sources.map(\.url)
        var sources = before
        for text in removed {
            guard let url = Self.url(text), let place = sources.firstIndex(of: url.redacted.text) else { continue }
            sources.remove(at: place)
        }
        let removedCount = before.count - sources.count
        let new = added.filter { Self.url($0) != nil }
        sources.insert(contentsOf: new, at: min(position ?? .max, sources.count))
        // An order without a URL is none; aria2 keeps it, to fail.
        guard let main = sources.first else { throw .noSource }
        if sources != before {
            var request = ChangeRequest()
            request.refusesPrivateAddresses = isConfined
            if main != before[0] { request.url = main }
            request.mirrors = Array(sources.dropFirst())
            try await act(.change(request), on: item)
        }
        return .list([.number(Int64(removedCount)), .number(Int64(new.count))])
    }

    /// A URL that can be fetched; nil for any other text.
    static func url(_ text: String) -> ResourceURL? {
        do throws(URLProblem) { return try ResourceURL.parse(text).url } catch { return nil }
    }

    /// Whether clients may not reach private networks.
    private var isConfined: Bool {
        var probe = EnqueueRequest(url: "", directory: "/", command: CommandID(high: 0, low: 0))
        configuration.prepare(&probe)
        return probe.refusesPrivateAddresses
    }
}
