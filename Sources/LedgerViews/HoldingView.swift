package import LedgerCoding
package import LedgerModel

/// What each group holds of finished files, and what it may hold, for people and for scripts.
package struct HoldingView {
    /// A group that holds something, or has limits.
    private struct Line {
        /// Empty for those without a group.
        let group: String
        let usage: Catalog.Usage
        let limits: GroupLimits
    }

    private let lines: [Line]

    /// A view of a state.
    package init(_ state: LedgerState) {
        let (usages, limits) = (state.catalog.groups, state.library.limits)
        lines = Set(usages.keys).union(limits.keys).sorted().map { group in
            Line(group: group, usage: usages[group] ?? .init(), limits: limits[group] ?? .init())
        }
    }

    /// `{"group", "files", "bytes", "newestMax", "sizeMax"}` each; the group null for files without one.
    package var json: [JSONValue] {
        lines.map { line in
            [
                "group": line.group.isEmpty ? .null : .string(line.group), "files": .int(Int64(line.usage.files)),
                "bytes": .uint(line.usage.bytes), "newestMax": JSONValue(line.limits.newestMax),
                "sizeMax": JSONValue(line.limits.sizeBytesMax),
            ]
        }
    }

    /// A table, and what all hold.
    package func lines(width: Int?) -> [String] {
        var table = Table([
            .init("GROUP", isElastic: true), .init("FILES", isRightAligned: true), .init("SIZE", isRightAligned: true),
            .init("NEWEST", isRightAligned: true), .init("SIZE MAX", isRightAligned: true),
        ])
        for line in lines {
            table.add([
                line.group.isEmpty ? "-" : line.group, "\(line.usage.files)", Figures.size(line.usage.bytes),
                line.limits.newestMax.map { "\($0)" } ?? "-", line.limits.sizeBytesMax.map(Figures.size) ?? "-",
            ])
        }
        let files = lines.reduce(0) { $0 + $1.usage.files }
        let bytes = lines.reduce(UInt64(0)) { $0 &+ $1.usage.bytes }
        return (lines.isEmpty ? [] : table.lines(width: width))
            + ["\(Figures.counted(files, "file")), \(Figures.size(bytes)) in all"]
    }
}
