import LedgerAPI
import LedgerModel
import LedgerViews

/// What `ledger import` makes of a file: a request for each download in it, or why there is none.
struct ImportedFile {
    /// One download of the file.
    struct Item {
        /// Where it stands, counted from 1.
        let line: Int
        /// What is asked for, or why nothing can be.
        let request: Result<EnqueueRequest, Problem>
    }

    /// The name that the file was given by.
    let name: String
    /// The downloads, in order.
    private(set) var items: [Item] = []
    /// What could not be taken into account, a sentence each.
    private(set) var warnings: [String] = []

    /// Reads a file: rows or requests in JSON, one a line, when its first character is a brace; else a list in aria2's
    /// grammar, such as the session that aria2 saves.
    /// - Throws: a ``Problem`` when the file as a whole fits neither.
    init(_ text: String, name: String, _ builder: RequestBuilder) throws(Problem) {
        self.name = name
        let first = text.unicodeScalars.first { $0 != "\u{FEFF}" && !$0.properties.isWhitespace }
        if first == "{" { readLines(text, builder) } else { try readList(text, builder) }
    }

    private mutating func readList(_ text: String, _ builder: RequestBuilder) throws(Problem) {
        let base = try builder.base()
        var unknown: [InputFile.Option] = []
        for item in try builder.parse(text, name: name) {
            do throws(Problem) {
                add(item.line, .success(try builder.request(for: item, of: name, like: base, &unknown)))
            } catch { add(item.line, .failure(error)) }
        }
        warnings += unknown.leftOut
    }

    private mutating func readLines(_ text: String, _ builder: RequestBuilder) {
        var number = 0
        var lacking = 0
        // Texts of JSON may hold any other character that ends a line.
        for line in text.split(omittingEmptySubsequences: false, whereSeparator: { $0 == "\n" || $0 == "\r\n" }) {
            number += 1
            guard line.contains(where: { !$0.isWhitespace && $0 != "\u{FEFF}" }) else { continue }
            do throws(Problem) {
                let line = try ImportedLine(parsing: line)
                var (request, usesNetrc) = try line.request(builder)
                request.command = builder.newCommand()
                try builder.finish(&request, usesNetrc: usesNetrc)
                try builder.check(request, place: nil)
                add(number, .success(request))
                if line.lacksHeaders { lacking += 1 }
            } catch { add(number, .failure(error.located(at: place(number)))) }
        }
        if lacking > 0 {
            warnings.append(
                "\(Figures.counted(lacking, "download")) of '\(name)' had headers whose values no row holds: write "
                    + "them as \"header\" beside the URL")
        }
    }

    private mutating func add(_ line: Int, _ request: Result<EnqueueRequest, Problem>) {
        items.append(Item(line: line, request: request))
    }

    private func place(_ line: Int) -> String { "line \(line) of '\(name)'" }
}
