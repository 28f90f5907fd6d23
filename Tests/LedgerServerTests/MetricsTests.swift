import CoreMetrics
import LedgerEngine
import LedgerTestSupport
import Testing

@testable import LedgerServer

/// `/metrics`, and the text form it is in.
@Suite(.timeLimit(.minutes(30))) struct MetricsTests {
    @Test func `counters, gauges and histograms stand in the text form`() {
        let registry = PrometheusRegistry()
        Counter(label: "tries_total", dimensions: [("why", "a \"b\"\\\n")], factory: registry).increment(by: 2)
        Counter(label: "tries_total", dimensions: [("why", "a \"b\"\\\n")], factory: registry).increment()
        let height = Recorder(label: "height", dimensions: [], aggregate: false, factory: registry)
        height.record(3)
        height.record(1.5)
        let sizes = Recorder(label: "sizes", dimensions: [], aggregate: true, factory: registry)
        for size in [1, 2, 3, 5000] { sizes.record(size) }
        let lines = registry.text.split(separator: "\n").map(String.init)
        #expect(lines.contains(#"tries_total{why="a \"b\"\\\n"} 3"#))
        #expect(lines.contains("height 1.5"))
        #expect(lines.contains("# TYPE sizes histogram") && lines.contains("# TYPE height gauge"))
        #expect(lines.contains(#"sizes_bucket{le="1"} 1"#) && lines.contains(#"sizes_bucket{le="2"} 2"#))
        #expect(lines.contains(#"sizes_bucket{le="4"} 3"#) && lines.contains(#"sizes_bucket{le="4096"} 3"#))
        #expect(lines.contains(#"sizes_bucket{le="+Inf"} 4"#) && lines.contains("sizes_count 4"))
        #expect(lines.contains("sizes_sum 5006"))
        Timer(label: "span_seconds", dimensions: [], factory: registry).recordNanoseconds(2_000_000)
        #expect(registry.text.contains("span_seconds_bucket{le=\"0.0025\"} 1\n"))
        #expect(registry.text.contains("span_seconds_bucket{le=\"0.001\"} 0\n"))
    }

    @Test func `what the ledger did is counted`() async throws {
        let registry = PrometheusRegistry()
        try await ServerFixture.run(
            .with { wishes in
                wishes.world.metrics = registry
                wishes.server = { $0.metrics = registry }
            }
        ) { fixture in
            let id = try await fixture.addPaused("/file")
            let answer = try await fixture.ask("GET", "/metrics")
            #expect(answer["content-type"] == "text/plain; version=0.0.4; charset=utf-8")
            let lines = Set(answer.text.split(separator: "\n").map(String.init))
            #expect(lines.contains(#"ledger_downloads{state="paused"} 1"#), "download \(id)")
            #expect(lines.contains(#"ledger_events_total{type="enqueued"} 1"#))
            #expect(lines.contains("ledger_last_sequence \(fixture.last)"))
            #expect(lines.contains(#"ledger_subscriber_lag_events{subscriber="stream"} 0"#))
            #expect(!lines.contains("ledger_commit_seconds_count 0") && !lines.contains("ledger_log_bytes 0"))
            // Every metric says what it is.
            for line in lines where line.hasPrefix("# TYPE ") {
                let name = line.split(separator: " ")[2]
                #expect(lines.contains { $0.hasPrefix("# HELP \(name) ") }, "\(name)")
            }
        }
    }
}
