/// Files and lines of each target, for closing notes.
enum Sizes {
    static func table(of files: [SourceFile]) -> String {
        let byModule = Dictionary(grouping: files.filter { $0.module != nil }, by: { $0.module! })
        let rows = byModule.sorted { $0.key < $1.key }.map { module, files in
            let sizes = files.map(\.lines.count).sorted()
            return [
                module, String(sizes.count), String(sizes.reduce(0, +)), String(sizes[sizes.count / 2]),
                String(sizes[sizes.count - 1]),
            ]
        }
        let head = ["target", "files", "lines", "median", "largest"]
        return ([head] + rows).map { row in
            row.enumerated().map { column, text in
                let width = column == 0 ? 24 : 8
                let space = String(repeating: " ", count: max(0, width - text.count))
                return column == 0 ? text + space : space + text
            }.joined()
        }.joined(separator: "\n")
    }
}
