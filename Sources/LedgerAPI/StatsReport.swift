package import LedgerModel

/// What `stats` says: figures of all downloads, and of those of each group, host, day or state.
package struct StatsReport: Hashable, Sendable {
    /// What downloads are put together by.
    package enum Dimension: String, Hashable, Sendable, CaseIterable {
        case group, host
        /// The day in UTC on which something happened: a download was asked for, a file completed, an attempt failed.
        case day
        case state
    }

    /// The figures of one group, host, day or state.
    package struct Line: Hashable, Sendable {
        /// What the downloads were put together by.
        package let dimension: Dimension
        /// What they have in common; nil for those without a group.
        package let key: String?
        /// Their figures.
        package var figures: StatsFigures
    }

    /// The last event that is counted.
    package let sequence: SequenceNumber
    /// The figures of all.
    package private(set) var total = StatsFigures()
    /// The figures by dimension, in the order that was asked for: days in theirs, states in that of the words, the rest
    /// by bytes, the most first.
    package private(set) var lines: [Line] = []

    /// The reasons of failed attempts, which the state does not keep.
    package struct Failures: Hashable, Sendable {
        /// By download.
        package var byDownload: [DownloadID: [Failure.Code: UInt64]]
        /// By day: days since 1970-01-01 in UTC.
        package var byDay: [Int32: [Failure.Code: UInt64]]

        /// Reasons by download and by day.
        package init(byDownload: [DownloadID: [Failure.Code: UInt64]], byDay: [Int32: [Failure.Code: UInt64]]) {
            self.byDownload = byDownload
            self.byDay = byDay
        }
    }

    /// The figures of a state, by these dimensions, each of which counts once. O(downloads).
    package init(_ state: LedgerState, _ failures: Failures, by named: [Dimension]) {
        sequence = state.sequence
        var seen: Set<Dimension> = []
        let dimensions = named.filter { seen.insert($0).inserted }
        var found: [Dimension: [String?: StatsFigures]] = [:]
        for download in state.queue.downloads {
            let reasons = failures.byDownload[download.id] ?? [:]
            total.take(download, reasons)
            for dimension in dimensions {
                let key: String? =
                    switch dimension {
                    case .group: download.order.labels.value.group
                    case .host: download.order.url.host
                    case .state: DownloadState(download.phase, isRunning: false).rawValue
                    case .day: Self.day(download.addedAt.day)
                    }
                if dimension == .day {
                    found[.day, default: [:]][key, default: StatsFigures()].takeState(of: download)
                    guard let day = download.completedAt.map({ Self.day($0.day) }) else { continue }
                    found[.day, default: [:]][day, default: StatsFigures()].takeTime(of: download)
                } else {
                    found[dimension, default: [:]][key, default: StatsFigures()].take(download, reasons)
                }
            }
        }
        if dimensions.contains(.day) {
            for (day, figures) in state.statistics.days {
                found[.day, default: [:]][Self.day(day), default: StatsFigures()]
                    .take(figures, failures.byDay[day] ?? [:])
            }
        }
        for dimension in dimensions {
            lines += Self.sorted(found[dimension] ?? [:], dimension)
        }
    }

    private static func day(_ day: Int32) -> String {
        String(Timestamp(milliseconds: Int64(day) * 86_400_000).rfc3339.prefix(10))
    }

    private static func sorted(_ found: [String?: StatsFigures], _ dimension: Dimension) -> [Line] {
        let lines = found.map { Line(dimension: dimension, key: $0, figures: $1) }
        let words = DownloadState.allCases.map(\.rawValue)
        return lines.sorted { one, other in
            switch dimension {
            case .day: return (one.key ?? "") < (other.key ?? "")
            case .state:
                return (words.firstIndex(of: one.key ?? "") ?? 0) < (words.firstIndex(of: other.key ?? "") ?? 0)
            case .group, .host:
                if one.figures.bytes != other.figures.bytes { return one.figures.bytes > other.figures.bytes }
                return (one.key ?? "") < (other.key ?? "")
            }
        }
    }
}
