import LedgerAPI
import LedgerModel
import LedgerTestSupport
import Testing

@testable import LedgerServer

/// A page of the downloads shows what a plain look at all rows would: every row made, filtered, sorted and cut.
struct PageTests {
    /// Downloads in every phase, of every kind, with words of several scripts, and what is known beside the ledger.
    private struct Many {
        let queue: Queue
        let shown: @Sendable (Download) -> ShownDownload

        init(_ count: UInt64) {
            var chance = SplitMix64(seed: count)
            var downloads: [Download] = []
            for number in 1...count { downloads.append(Self.download(number * 3, &chance)) }
            queue = Queue(
                QueueImage(
                    sequence: SequenceNumber(count * 3), downloads: DownloadTable(ascending: downloads), undoable: [],
                    answers: [],
                    rankMax: 0, rankMin: 0))
            shown = { download in
                // Gauges also of what has just stopped; hours of what waits for them.
                let number = download.id.rawValue
                let live = LiveFigures(
                    received: number, total: number % 2 == 0 ? 7 : nil, resumedFrom: 0, rate: 1, streams: 1)
                let isOpen = number % 5 != 0 || !download.phase.mayRun || download.phase == .publishing
                return ShownDownload(
                    download, live: number % 4 == 0 ? live : nil,
                    opening: isOpen ? nil : Timestamp(milliseconds: 9), hindrance: number % 7 == 0 ? "offline" : nil)
            }
        }

        private static func download(_ number: UInt64, _ chance: inout SplitMix64) -> Download {
            func any<Value>(_ values: [Value]) -> Value { values[Int.random(in: values.indices, using: &chance)] }
            let name =
                any(["a", "B b", "Straße", "cafe\u{301}", "x\r\ny"]) + any(["", ".mp4", ".ZIP", ".txt", ".pdf"])
            var order = Order(
                url: ResourceURL(recorded: "https://" + any(["one", "two"]) + ".example/\(number % 17)"),
                destination: Destination(directory: any(["/", "/d.e"]), name: any([nil, name])))
            order.labels = Shared(
                Labels(
                    group: any([nil, "one", "Two"]), title: any([nil, "Número \(number % 9)", "CAFÉ", "plain"]),
                    details: any([nil, "Words\nof it", "\u{212A}elvin; Öl"]), tags: any([[], ["x", "Tag"]])))
            var download = Download(
                id: DownloadID(number), order: order,
                phase: any(PhaseCounts.phases), priority: any([-1, 0, 5]), rank: any([-1, 0, 1]),
                addedAt: Timestamp(milliseconds: any([0, 5, 7])))
            if any([true, false]) {
                let origin = Origin(
                    url: order.url, length: any([nil, 3, 9]), validator: nil, acceptsRanges: true,
                    mediaType: any([nil, "video/mp4", "text/plain"]), suggestedName: any(["s.mp3", "t"]))
                download.origin = Shared(origin)
            }
            if download.phase.isThere {
                let digest = Digest(.sha256, [UInt8](repeating: 1, count: 32))
                let file = digest.map {
                    Shared(PublishedFile(path: "/f/\(name)", length: number % 4, sha256: $0, identity: nil))
                }
                download.file = any([nil, file])
                download.completedAt = any([nil, Timestamp(milliseconds: Int64(number % 6))])
            }
            return download
        }

        /// The ids that a plain look gives.
        func plain(_ filter: Filter, _ sort: String, descending: Bool) -> [DownloadID] {
            let downloads = sort == "turn" ? Array(queue.liveDownloads) : Array(queue.downloads)
            let rows = downloads.map { DownloadRow(shown($0)) }.filter { row in
                guard filter.states.isEmpty ? row.state != .deleted : filter.states.contains(row.state) else {
                    return false
                }
                guard filter.kinds.isEmpty || filter.kinds.contains(row.kind) else { return false }
                guard filter.group == nil || row.group == filter.group else { return false }
                guard let search = filter.search else { return true }
                let text = ([row.url, row.name, row.title ?? "", row.details ?? "", row.group ?? ""] + row.tags)
                    .joined(separator: "\n").lowercased()
                return search.lowercased().split(separator: " ").allSatisfy { text.contains($0) }
            }
            let ranks = Dictionary(uniqueKeysWithValues: downloads.map { ($0.id, $0.rank) })
            func sorted(_ isBefore: (DownloadRow, DownloadRow) -> Bool?) -> [DownloadID] {
                rows.sorted { one, other in
                    let (first, second) = descending ? (other, one) : (one, other)
                    return isBefore(first, second) ?? (first.id < second.id)
                }.map(\.id)
            }
            func by<Key: Comparable>(_ key: (DownloadRow) -> Key) -> [DownloadID] {
                sorted { key($0) == key($1) ? nil : key($0) < key($1) }
            }
            return switch sort {
            case "turn": rows.map(\.id)
            case "name": by(\.name)
            case "state": by(\.state.rawValue)
            case "size": by { $0.size ?? 0 }
            case "priority":
                // Those of one priority as they would run.
                sorted { one, other in
                    guard one.priority == other.priority else { return one.priority > other.priority }
                    let (first, second) = (ranks[one.id] ?? 0, ranks[other.id] ?? 0)
                    return first == second ? nil : first < second
                }
            case "added": by(\.addedAt)
            case "completed": by { $0.completedAt?.milliseconds ?? .max }
            default: by(\.id)
            }
        }
    }

    private static let orders =
        ["turn"]
        + ListQuery.Sort.allCases.flatMap { [$0.rawValue, $0.rawValue + "&order=desc"] }

    /// Filters as a query names them, with what is meant.
    private static var filters: [(query: String, filter: Filter)] {
        var filters: [(query: String, filter: Filter)] = [("", Filter())]
        func add(_ query: String, _ change: (inout Filter) -> Void) {
            var filter = Filter()
            change(&filter)
            filters.append((query, filter))
        }
        for state in DownloadState.allCases { add("&state=\(state.rawValue)") { $0.states = [state] } }
        for kind in Kind.allCases { add("&kind=\(kind.rawValue)") { $0.kinds = [kind] } }
        for group in ["one", "Two", "two"] { add("&group=\(group)") { $0.group = group } }
        for (query, text) in [
            ("", ""), ("+", " "), ("EXAMPLE", "EXAMPLE"), ("b+B", "b B"), ("cafe", "cafe"), ("caf%C3%A9", "café"),
            ("STRASSE", "STRASSE"), ("stra%C3%9Fe", "straße"), ("kelvin%3B", "kelvin;"), ("it%0Aone", "it\none"),
            ("x%0D", "x\r"), ("%0Ay", "\ny"), ("tag+mp4", "tag mp4"), ("nothing", "nothing"),
        ] {
            add("&search=\(query)") { $0.search = text }
        }
        add("&state=running,waiting&kind=video,other&group=one&search=two") {
            ($0.states, $0.kinds, $0.group, $0.search) = ([.running, .waiting], [.video, .other], "one", "two")
        }
        return filters
    }

    @Test(arguments: orders) func `a page is what a plain look gives`(order: String) throws {
        let (many, filters) = (Many(300), Self.filters)
        var found = Set<String>()
        for (query, filter) in filters {
            let sort = String(order.prefix { $0 != "&" })
            let all = many.plain(filter, sort, descending: order.hasSuffix("desc"))
            if !all.isEmpty { found.insert(query) }
            for limit in [1, 40, 299, 1000] {
                var (seen, cursor, pages) = ([DownloadID](), "", 0)
                // From a few places only where pages are small.
                while pages < 12 {
                    let page = try Page(Query(parsing: "sort=\(order)\(query)&limit=\(limit)\(cursor)"))
                    let (downloads, next) = page.select(from: many.queue, shown: many.shown)
                    seen += downloads.map(\.id)
                    pages += 1
                    #expect(downloads.count <= limit)
                    guard let next else {
                        #expect(seen == all, "\(order) \(query) \(limit)")
                        break
                    }
                    #expect(seen.count < all.count && downloads.count == limit, "\(order) \(query) \(limit)")
                    cursor = "&cursor=\(next)"
                }
                #expect(seen == Array(all.prefix(seen.count)), "\(order) \(query) \(limit)")
            }
        }
        // What matches nothing anywhere would compare nothing.
        #expect(found.count > filters.count / 2)
    }

    @Test func `a download shows what its row says`() {
        let many = Many(300)
        var states = Set<DownloadState>()
        for download in many.queue.downloads {
            let shown = many.shown(download)
            let row = DownloadRow(shown)
            #expect(row.id == shown.id && row.url == shown.url && row.path == shown.path && row.name == shown.name)
            #expect(row.state == shown.state && row.kind == shown.kind && row.size == shown.size)
            #expect(row.group == shown.group && row.title == shown.title && row.details == shown.details)
            #expect(row.tags == shown.tags && row.priority == shown.priority)
            #expect(row.addedAt == shown.addedAt && row.completedAt == shown.completedAt)
            states.insert(row.state)
        }
        #expect(states == Set(DownloadState.allCases))
    }
}
