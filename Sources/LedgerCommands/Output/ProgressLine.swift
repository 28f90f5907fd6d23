import LedgerAPI
import LedgerViews

/// The bars of `get` on a terminal: one for each running download, one for all.
struct ProgressLine: Hashable, Sendable {
    /// The columns of the terminal.
    var width: Int
    /// Whether the terminal shows more than ASCII.
    var isUnicode: Bool

    /// What every line says about a download whose origin's certificate goes unchecked.
    static let insecure = "(insecure)"

    /// The least a name is cut to; where there is not even room for it, the last facts are left out.
    static let nameColumnsMin = 8
    /// From here on there is room to say where a download was resumed from.
    static let columnsForResumed = 90

    /// The bar of one running download: name, bar, percent, rate, time left, and where it was resumed from.
    func line(for row: DownloadRow) -> String {
        // Ahead of the name, where no narrow terminal cuts it off.
        let name = (row.insecure ? Self.insecure + " " : "") + TextWidth.printable(row.title ?? row.name)
        let percent = Figures.percent(row.received, of: row.size).map { "\($0) %" } ?? Figures.size(row.received)
        var facts = [
            TextWidth.fitted(percent, to: row.size == nil ? 9 : 5, rightAligned: true),
            TextWidth.fitted(row.rate.map(Figures.rate) ?? "-", to: 11, rightAligned: true),
            TextWidth.fitted(timeLeft(row), to: 7, rightAligned: true),
        ]
        if width >= Self.columnsForResumed {
            let from = row.resumedFrom ?? 0
            facts.append(TextWidth.fitted(from > 0 ? "from " + Figures.size(from) : "", to: 15))
        }
        return compose(name: name, share: share(row.received, row.size), facts: facts)
    }

    /// The bar of all: files done, bytes, rate, time left.
    func line(for total: ProgressTotal) -> String {
        var facts = [
            "\(total.ended) of \(total.downloads)",
            TextWidth.fitted(Figures.rate(total.rate), to: 11, rightAligned: true),
            TextWidth.fitted(total.secondsLeft.map(Figures.time) ?? "-", to: 7, rightAligned: true),
        ]
        if width >= Self.columnsForResumed {
            facts.append(TextWidth.fitted(total.resumed > 0 ? "from " + Figures.size(total.resumed) : "", to: 15))
        }
        return compose(name: "all", share: share(total.received, total.size), facts: facts)
    }

    /// The line that stands for bars there is no room for.
    func line(forMore count: Int) -> String { TextWidth.shortened("and \(count) more", to: width - 1) }

    private func compose(name: String, share: Double?, facts: [String]) -> String {
        let mark = name.hasPrefix(Self.insecure) ? Self.insecure.count + 1 : 0
        let nameMin = min(mark + Self.nameColumnsMin, TextWidth.columns(of: name))
        func room(beside facts: [String]) -> Int { width - 1 - TextWidth.columns(of: facts.joined(separator: "  ")) }
        var facts = facts
        while facts.count > 1, room(beside: facts) < nameMin + 2 { facts.removeLast() }
        let room = room(beside: facts)
        let nameWidth = max(nameMin, min(32, room * 2 / 5))
        let barWidth = max(0, room - nameWidth - 4)
        let line =
            TextWidth.fitted(name, to: nameWidth) + "  " + bar(share, width: barWidth) + (barWidth > 0 ? "  " : "")
            + facts.joined(separator: "  ")
        return TextWidth.shortened(String(line.reversed().drop { $0 == " " }.reversed()), to: max(1, width - 1))
    }

    private func bar(_ share: Double?, width: Int) -> String {
        let (full, empty) = isUnicode ? ("━", "─") : ("#", "-")
        let filled = Int((share ?? 0) * Double(width))
        return String(repeating: full, count: filled) + String(repeating: empty, count: width - filled)
    }

    private func share(_ received: UInt64, _ size: UInt64?) -> Double? {
        guard let size else { return nil }
        return size == 0 ? 1 : min(1, Double(received) / Double(size))
    }

    private func timeLeft(_ row: DownloadRow) -> String {
        guard let size = row.size, let rate = row.rate, rate > 0, size >= row.received else { return "-" }
        return Figures.time(seconds: (size - row.received + rate - 1) / rate)
    }
}
