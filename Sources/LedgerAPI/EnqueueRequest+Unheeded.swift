import LedgerModel

extension EnqueueRequest {
    /// The options that ask for something else than the download has that this joined, by their long names: it stays as
    /// it was asked for before. Once its file is there only the labels matter.
    /// - Parameter configured: what is asked for of each download where nobody says otherwise; that is no news.
    package func unheeded(by row: DownloadRow, configured: () -> [AskedOption]) -> [String] {
        guard asksForMore, let order = acceptedOrder else { return [] }
        let labels = order.labels.value
        var names: [String] = []
        func note(_ name: String, _ isOther: Bool) { if isOther { names.append(name) } }
        note("group", labels.group.map { $0 != row.group } ?? false)
        note("title", labels.title.map { $0 != row.title } ?? false)
        note("details", labels.details.map { $0 != row.details } ?? false)
        note("tag", !Set(labels.tags).isSubset(of: row.tags))
        guard row.state != .completed else { return names }
        note("priority", priority != 0 && priority != row.priority)
        note("insecure", isInsecure && !row.insecure)
        // What is there already is what '--skip' asks for, and other headers make another download.
        let known: Set = ["skip", AskedOption.headerNames, AskedOption.leftOut]
        let others = order.asked.filter { !known.contains($0.name) && !row.has($0) }
        guard !others.isEmpty else { return names }
        let standing = configured()
        return names + others.filter { !standing.contains($0) }.map(\.longName)
    }

    /// Whether there is anything but a URL and where its file goes; a quick look, for lists are long.
    private var asksForMore: Bool {
        var plain = EnqueueRequest(url: url, directory: directory, command: command)
        plain.name = name
        return self != plain
    }

    private var acceptedOrder: Order? {
        do throws(RequestProblem) { return try order().order } catch {
            // One that can not be taken joined nothing.
            return nil
        }
    }
}

extension DownloadRow {
    /// Whether it was asked for with this option, as far as the row tells.
    fileprivate func has(_ option: AskedOption) -> Bool {
        options.contains { own in
            guard own.name == AskedOption.leftOut, case .texts(let names) = own.value else { return own == option }
            return names.contains(option.name)
        }
    }
}

extension AskedOption {
    /// The name on the command line: words with hyphens.
    fileprivate var longName: String {
        name.reduce(into: "") { $0 += $1.isUppercase ? "-" + $1.lowercased() : String($1) }
    }
}
