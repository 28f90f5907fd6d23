/// The passwords of a `.netrc` file, in the grammar that ftp, curl and wget share.
///
/// Words stand apart by white space: `machine NAME` or `default`, then `login NAME`, `password TEXT`, and
/// `account TEXT`, which is passed over; a word may stand in quotes, with `\` before what it would not hold otherwise;
/// `macdef NAME` goes on to the next empty line; a `#` where none of those stands starts a comment.
struct Netrc: Hashable, Sendable {
    /// The longest file that is read, in bytes.
    static let fileBytesMax = 1 << 20

    private struct Entry: Hashable, Sendable {
        /// Nil for `default`.
        var machine: String?
        var login: String?
        var password: String?
    }

    private var entries: [Entry] = []

    /// A quote that does not end, at this line, counted from 1.
    struct SyntaxError: Error, Hashable, Sendable {
        let line: Int
    }

    /// Reads a whole file.
    /// - Throws: ``SyntaxError``.
    init(parsing text: String) throws(SyntaxError) {
        var words = Words(rest: Substring(text))
        while let word = try words.next() {
            switch word {
            case "machine": entries.append(Entry(machine: try words.next()?.lowercased()))
            case "default": entries.append(Entry(machine: nil))
            case "login", "password", "account":
                let value = try words.next()
                set(word, value)
            case "macdef": words.skipMacro()
            case _ where word.hasPrefix("#"): words.skipLine()
            default: continue
            }
        }
    }

    /// `login:password` for a host; nil when the file says nothing of it. The first entry that fits is taken.
    /// - Parameter login: whose password is asked for; nil for anybody's.
    func credentials(for host: String, login: String? = nil) -> String? {
        let fitting = entries.first { entry in
            guard let name = entry.login, !name.isEmpty, login == nil || login == name else { return false }
            return entry.machine == nil || entry.machine == host
        }
        return fitting.flatMap { entry in entry.login.map { $0 + ":" + (entry.password ?? "") } }
    }

    private mutating func set(_ name: String, _ value: String?) {
        guard !entries.isEmpty else { return }
        switch name {
        case "login": entries[entries.count - 1].login = value
        case "password": entries[entries.count - 1].password = value
        default: return
        }
    }
}

/// The words of the file, one after the other.
private struct Words {
    var rest: Substring
    var line = 1

    mutating func next() throws(Netrc.SyntaxError) -> String? {
        while let first = rest.first, first.isWhitespace { step() }
        guard let first = rest.first else { return nil }
        if first == "\"" { return try quoted() }
        let word = rest.prefix { !$0.isWhitespace }
        rest = rest[word.endIndex...]
        return String(word)
    }

    private mutating func quoted() throws(Netrc.SyntaxError) -> String {
        let begin = line
        var word = ""
        step()
        while let character = step() {
            switch character {
            case "\"": return word
            case "\\":
                guard let escaped = step() else { break }
                switch escaped {
                case "n": word.append("\n")
                case "r": word.append("\r")
                case "t": word.append("\t")
                default: word.append(escaped)
                }
            default: word.append(character)
            }
        }
        throw Netrc.SyntaxError(line: begin)
    }

    /// To the end of the next empty line.
    mutating func skipMacro() {
        skipLine()
        while let first = rest.first {
            let isEmpty = first.isNewline
            skipLine()
            if isEmpty { return }
        }
    }

    mutating func skipLine() {
        while let first = rest.first, !first.isNewline { step() }
        step()
    }

    @discardableResult private mutating func step() -> Character? {
        guard let first = rest.popFirst() else { return nil }
        if first.isNewline { line += 1 }
        return first
    }
}
