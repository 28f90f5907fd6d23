import CoreMetrics
import HTTPTypes
import Hummingbird
import LedgerAPI
import LedgerEngine
import LedgerHolder
import LedgerModel
import Synchronization

/// `GET /metrics`: what is counted, in Prometheus' text form.
struct MetricsRoute: Sendable {
    let backend: Backend
    let feed: EventFeed
    private let received = Received()

    /// A route over a ledger and its feed.
    init(backend: Backend, feed: EventFeed) {
        self.backend = backend
        self.feed = feed
    }

    /// The route.
    var routes: [Route] { [Route(.get, "/metrics", .read, answer)] }

    private var registry: PrometheusRegistry { backend.configuration.metrics }

    private func answer(_ call: Call) async throws -> Response {
        try await look()
        return .bytes(Array(registry.text.utf8), type: PrometheusRegistry.mediaType)
    }

    /// Puts in what nobody counts as it happens.
    private func look() async throws(Problem) {
        let figures = try await backend.service.figures()
        for (state, count) in figures.states { set("ledger_downloads", [("state", state.rawValue)], count) }
        set("ledger_queue_length", [], figures.live)
        set("ledger_receive_bytes_per_second", [], Int(clamping: figures.bytesPerSecond))
        let counter = registry.makeCounter(label: "ledger_received_bytes_total", dimensions: [])
        counter.increment(by: received.growth(to: figures.receivedBytes))
        let ledger = backend.service.ledger
        set("ledger_last_sequence", [], Int(clamping: ledger.lastSequence.rawValue))
        set("ledger_stream_readers", [], feed.readers)
        // Who follows no longer is not behind.
        registry.forget("ledger_subscriber_lag_events")
        for (name, lag) in ledger.lags {
            set("ledger_subscriber_lag_events", [("subscriber", name)], Int(clamping: lag))
        }
        if let lag = feed.lag(behind: ledger.lastSequence) {
            set("ledger_subscriber_lag_events", [("subscriber", "readers")], Int(clamping: lag))
        }
        set("ledger_start_time_seconds", [], Int(backend.startedAt.milliseconds / 1000))
        set("ledger_build_info", [("version", backend.configuration.version)], 1)
    }

    private func set(_ name: String, _ labels: [(String, String)], _ value: Int) {
        registry.makeRecorder(label: name, dimensions: labels, aggregate: false).record(Int64(value))
    }

    /// How many bytes were counted already. A worker that begins its file anew counts back, the metric does not.
    private final class Received: Sendable {
        private let last = Mutex<UInt64>(0)

        func growth(to bytes: UInt64) -> Int64 {
            last.withLock { last in
                defer { last = max(last, bytes) }
                return Int64(clamping: bytes - min(bytes, last))
            }
        }
    }
}
