import LedgerModel
import Synchronization

/// What is kept of clients' wishes that no order holds, for as long as the program runs: it is shown again, and what
/// counts of it is in the order.
final class Memory: Sendable {
    /// The most downloads of which options are remembered; of the oldest of more the order alone tells.
    static let downloadsMax = 10_000
    /// The most bytes of values that are remembered of downloads together; beyond it as beyond ``downloadsMax``.
    static let bytesMax = 16 << 20

    private struct State {
        var global = OptionValues()
        var resultsMax = 1000
        var options: [DownloadID: OptionValues] = [:]
        var order: [DownloadID] = []
        var bytes = 0
    }

    private let state = Mutex(State())

    /// What clients changed for all: it holds for what is added from then on.
    var global: OptionValues { state.withLock { $0.global } }

    /// How many results are shown at most, the newest.
    var resultsMax: Int { state.withLock { $0.resultsMax } }

    func change(_ values: OptionValues) {
        state.withLock { state in
            state.global = values.over(state.global)
            if let max = values.number("max-download-result") { state.resultsMax = Int(clamping: max) }
        }
    }

    /// What a client said of a download; empty for what is long past.
    func options(of id: DownloadID) -> OptionValues { state.withLock { $0.options[id] ?? OptionValues() } }

    /// Remembers what a client said of a download, over what it said before. Secrets of it are not kept.
    func remember(_ values: OptionValues, of id: DownloadID) {
        let shown = values.withoutSecrets
        state.withLock { state in
            let before = state.options[id]
            if before == nil { state.order.append(id) }
            let now = shown.over(before ?? OptionValues())
            state.options[id] = now
            state.bytes += now.byteCount - (before?.byteCount ?? 0)
            // In steps: the oldest tenth at a time.
            while state.order.count > Self.downloadsMax || state.bytes > Self.bytesMax {
                for id in state.order.prefix(state.order.count / 10 + 1) {
                    state.bytes -= state.options.removeValue(forKey: id)?.byteCount ?? 0
                }
                state.order.removeFirst(state.order.count / 10 + 1)
            }
        }
    }
}
