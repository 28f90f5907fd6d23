/// What is known of an option: a line of ``OptionTable``.
struct OptionSpec: Sendable {
    /// What values it takes.
    enum Form: Sendable {
        case flag
        case number(ClosedRange<UInt64>)
        /// Bytes, with `K` or `M`.
        case size(ClosedRange<UInt64>)
        case decimal
        case choice([String])
        case proxy
        case sum
        case text
        /// No client may give it.
        case barred
    }

    /// Where it counts; the letters of the table.
    struct Uses: OptionSet, Sendable {
        let rawValue: UInt8
        static let added = Uses(rawValue: 1)
        static let changed = Uses(rawValue: 2)
        static let changedWhileActive = Uses(rawValue: 4)
        static let changedForAll = Uses(rawValue: 8)
        static let shownOfAll = Uses(rawValue: 16)
        static let shownOfOne = Uses(rawValue: 32)

        fileprivate static let letters: [Character: Uses] = [
            "i": .added, "c": .changed, "a": .changedWhileActive, "g": .changedForAll, "G": .shownOfAll,
            "I": .shownOfOne,
        ]
    }

    let name: String
    let form: Form
    /// What aria2 says when nobody said anything; nil for nothing.
    let standard: String?
    let uses: Uses

    /// All of them, by name.
    static let all: [String: OptionSpec] = {
        let specs = OptionTable.text.split(separator: "\n").map(OptionSpec.init)
        return Dictionary(uniqueKeysWithValues: specs.map { ($0.name, $0) })
    }()

    private init(_ line: Substring) {
        let words = line.split(separator: " ").map(String.init)
        precondition(words.count == 4, "a line of the table is a name, a type, a default and uses")
        name = words[0]
        form = Form(words[1])
        standard = words[2] == "-" ? nil : words[2]
        uses = Uses(words[3].compactMap { Uses.letters[$0] })
    }

    /// Whether a URL with a secret may stand in its value; proxies are shown in a way of their own.
    var mayHoldURL: Bool {
        guard case .text = form else { return false }
        return !["dir", "out", "index-out"].contains(name)
    }

    /// Whether something of its value is not shown, so that the shown value said again must not take its place.
    var mayHide: Bool {
        if case .proxy = form { return true }
        return mayHoldURL
    }

    /// The value as it is shown, which is that of the option from then on; aria2 writes sizes in bytes.
    /// - Throws: the fault that names the option, for what it does not take.
    func normalized(_ text: String) throws(Fault) -> String {
        guard let value = form.normalized(text) else { throw .option(name) }
        return value
    }
}

extension OptionSpec.Form {
    fileprivate init(_ text: String) {
        let parts = text.split(separator: ":", maxSplits: 1).map(String.init)
        switch parts[0] {
        case "bool": self = .flag
        case "number": self = .number(Self.range(parts[1]))
        case "size": self = .size(Self.range(parts[1]))
        case "decimal": self = .decimal
        case "choice": self = .choice(parts[1].split(separator: ",").map(String.init))
        case "proxy": self = .proxy
        case "sum": self = .sum
        case "text": self = .text
        case "barred": self = .barred
        default: preconditionFailure("the table has no type '\(text)'")
        }
    }

    /// `LOW-HIGH`, where `*` is as much as fits.
    private static func range(_ text: String) -> ClosedRange<UInt64> {
        let ends = text.split(separator: "-")
        guard ends.count == 2, let low = UInt64(ends[0]),
            let high = ends[1] == "*" ? UInt64(Int64.max) : UInt64(ends[1])
        else { preconditionFailure("the table has no range '\(text)'") }
        return low...high
    }

    fileprivate func normalized(_ text: String) -> String? {
        switch self {
        case .flag: return text == "true" || text == "false" ? text : nil
        case .number(let range):
            guard let number = UInt64(text), range.contains(number) else { return nil }
            return String(number)
        case .size(let range):
            guard let number = Self.bytes(text), range.contains(number) else { return nil }
            return String(number)
        case .decimal:
            guard let number = Double(text), number >= 0, number.isFinite else { return nil }
            return text
        case .choice(let values): return values.contains(text) ? text : nil
        // What is a proxy, and which sums are known, the order says: see the mapping.
        case .proxy, .sum, .text: return text.utf8.contains(0) ? nil : text
        case .barred: return nil
        }
    }

    /// `20K`, `1M`, `512`: K and M are of 1024.
    private static func bytes(_ text: String) -> UInt64? {
        let shift: UInt64
        switch text.last {
        case "K", "k": shift = 10
        case "M", "m": shift = 20
        default: shift = 0
        }
        guard let number = UInt64(shift == 0 ? text[...] : text.dropLast()) else { return nil }
        let (bytes, isOver) = number.multipliedReportingOverflow(by: 1 << shift)
        return isOver ? nil : bytes
    }
}
