package import CoreMetrics
import LedgerModel
import Synchronization

/// Collects what swift-metrics is told, and shows it in Prometheus' text form.
///
/// See <https://prometheus.io/docs/instrumenting/exposition_formats/#text-based-format>, version 0.0.4. What is counted
/// is named in the program, never by a client: so there are as many series as the program has.
package final class PrometheusRegistry: MetricsFactory, Sendable {
    /// The media type of the text form.
    static let mediaType = "text/plain; version=0.0.4; charset=utf-8"

    /// One series: a name, and labels in the order of their names.
    private struct Key: Hashable, Comparable {
        let name: String
        let labels: String

        static func < (one: Key, other: Key) -> Bool { (one.name, one.labels) < (other.name, other.labels) }
    }

    private enum Series {
        case counter(CountingSeries)
        case gauge(GaugeSeries)
        case histogram(HistogramSeries)

        var type: String {
            switch self {
            case .counter: "counter"
            case .gauge: "gauge"
            case .histogram: "histogram"
            }
        }
    }

    private let series = Mutex<[Key: Series]>([:])

    /// A registry that holds nothing.
    package init() {}

    /// A number that only grows.
    package func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        entry(label, dimensions) {
            .counter(CountingSeries())
        } as: { series in
            guard case .counter(let counter) = series else { return nil }
            return counter
        }
    }

    /// A number as it is now.
    package func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        gauge(label, dimensions)
    }

    /// A number as it is now, or, when it is to be aggregated, how often it fell between which bounds.
    package func makeRecorder(
        label: String, dimensions: [(String, String)], aggregate: Bool
    ) -> any RecorderHandler {
        aggregate ? histogram(label, dimensions, HistogramSeries.countBounds) : gauge(label, dimensions)
    }

    /// How often a duration fell between which bounds, in seconds.
    package func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        histogram(label, dimensions, HistogramSeries.secondBounds)
    }

    /// Keeps it: a series that comes and goes would look like a counter that was set back.
    package func destroyCounter(_ handler: any CounterHandler) {}
    /// Keeps it: a series that comes and goes would look like a counter that was set back.
    package func destroyMeter(_ handler: any MeterHandler) {}
    /// Keeps it: a series that comes and goes would look like a counter that was set back.
    package func destroyRecorder(_ handler: any RecorderHandler) {}
    /// Keeps it: a series that comes and goes would look like a counter that was set back.
    package func destroyTimer(_ handler: any TimerHandler) {}

    /// Forgets the series of a name: what it was about may be no more.
    func forget(_ name: String) { series.withLock { $0 = $0.filter { $0.key.name != name } } }

    /// Everything, in the text form.
    package var text: String {
        let all = series.withLock { $0 }.sorted { $0.key < $1.key }
        var (text, last) = ("", "")
        for (key, series) in all {
            if key.name != last {
                if let help = MetricHelp.words[key.name] { text += "# HELP \(key.name) \(help)\n" }
                text += "# TYPE \(key.name) \(series.type)\n"
                last = key.name
            }
            switch series {
            case .counter(let counter): text += Self.line(key.name, key.labels, "\(counter.value)")
            case .gauge(let gauge): text += Self.line(key.name, key.labels, Self.number(gauge.value))
            case .histogram(let histogram): text += Self.lines(key.name, key.labels, histogram.figures)
            }
        }
        return text
    }

    private func gauge(_ label: String, _ dimensions: [(String, String)]) -> GaugeSeries {
        entry(label, dimensions) {
            .gauge(GaugeSeries())
        } as: { series in
            guard case .gauge(let gauge) = series else { return nil }
            return gauge
        }
    }

    private func histogram(
        _ label: String, _ dimensions: [(String, String)], _ bounds: [Double]
    ) -> HistogramSeries {
        entry(label, dimensions) {
            .histogram(HistogramSeries(bounds))
        } as: { series in
            guard case .histogram(let histogram) = series else { return nil }
            return histogram
        }
    }

    /// The series of a name and its labels, made when there is none.
    private func entry<Handler>(
        _ label: String, _ dimensions: [(String, String)], make: () -> Series, as handler: (Series) -> Handler?
    ) -> Handler {
        let labels = dimensions.sorted { $0.0 < $1.0 }.map { "\($0)=\"\(Self.escaped($1))\"" }
        let key = Key(name: label, labels: labels.joined(separator: ","))
        return series.withLock { series in
            let found = series[key] ?? make()
            series[key] = found
            guard let handler = handler(found) else { preconditionFailure("'\(label)' is counted in one way") }
            return handler
        }
    }

    private static func lines(_ name: String, _ labels: String, _ figures: HistogramSeries.Figures) -> String {
        var (text, count) = ("", UInt64(0))
        let prefix = labels.isEmpty ? "" : labels + ","
        for (bound, found) in zip(figures.bounds, figures.counts) {
            count += found
            text += line(name + "_bucket", prefix + "le=\"\(number(bound))\"", "\(count)")
        }
        text += line(name + "_bucket", prefix + "le=\"+Inf\"", "\(figures.count)")
        text += line(name + "_sum", labels, number(figures.sum))
        return text + line(name + "_count", labels, "\(figures.count)")
    }

    private static func line(_ name: String, _ labels: String, _ value: String) -> String {
        labels.isEmpty ? "\(name) \(value)\n" : "\(name){\(labels)} \(value)\n"
    }

    /// A number without a fraction that says nothing.
    private static func number(_ value: Double) -> String {
        Int64(exactly: value).map(String.init) ?? "\(value)"
    }

    private static func escaped(_ text: String) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\": escaped += "\\\\"
            case "\"": escaped += "\\\""
            case "\n": escaped += "\\n"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}
