/// Reads a pattern of titles.
struct PatternParser {
    /// How deep parentheses may stand in each other.
    static let depthMax = 50
    /// The largest number of repetitions.
    static let repetitionsMax = 1000

    private var rest: Substring.UnicodeScalarView
    private var depth = 0

    init(_ text: String) { rest = Substring(text).unicodeScalars }

    mutating func parse() throws(PatternProblem) -> PatternNode {
        let node = try alternatives()
        guard rest.isEmpty else { throw PatternProblem(message: "a ')' has no '('") }
        return node
    }

    private mutating func take(_ scalar: Unicode.Scalar) -> Bool {
        guard rest.first == scalar else { return false }
        rest.removeFirst()
        return true
    }

    private mutating func alternatives() throws(PatternProblem) -> PatternNode {
        var node = try sequence()
        while take("|") { node = .either(node, try sequence()) }
        return node
    }

    private mutating func sequence() throws(PatternProblem) -> PatternNode {
        var nodes: [PatternNode] = []
        while let next = rest.first, next != "|", next != ")" { nodes.append(try repeated(try atom())) }
        return .sequence(nodes)
    }

    /// A part with what says how often it comes; whether it takes few or many makes no difference to a match.
    private mutating func repeated(_ node: PatternNode) throws(PatternProblem) -> PatternNode {
        var node = node
        while let counts = try counts() {
            node = .repeated(node, min: counts.min, max: counts.max)
            if take("?") { continue }
            if rest.first == "+" {
                throw PatternProblem(message: "'++' and its like are not known here")
            }
        }
        return node
    }

    private mutating func counts() throws(PatternProblem) -> (min: Int, max: Int?)? {
        if take("*") { return (0, nil) }
        if take("+") { return (1, nil) }
        if take("?") { return (0, 1) }
        guard rest.first == "{" else { return nil }
        rest.removeFirst()
        let min = number()
        let max = take(",") ? number() : min
        let isOpen = min != nil && max == nil
        guard let min, take("}"), isOpen || max ?? 0 >= min, Swift.max(min, max ?? 0) <= Self.repetitionsMax else {
            throw PatternProblem(
                message: "what stands in '{}' is no count, such as 3 or 2,4, up to \(Self.repetitionsMax)")
        }
        return (min, max)
    }

    private mutating func number() -> Int? {
        let digits = String(String.UnicodeScalarView(rest.prefix { ("0"..."9").contains($0) }))
        rest.removeFirst(digits.unicodeScalars.count)
        // One that is no number of a machine is too large a one.
        return digits.isEmpty ? nil : Int(digits) ?? .max
    }

    private mutating func atom() throws(PatternProblem) -> PatternNode {
        let scalar = rest.removeFirst()
        switch scalar {
        case "(": return try group()
        case "[": return .take(try set())
        case ".": return .take(.any)
        case "^": return .check(.start)
        case "$": return .check(.end)
        case "*", "+", "?", "{":
            throw PatternProblem(message: "there is nothing that '\(scalar)' could repeat")
        case "\\":
            if take("b") { return .check(.word) }
            if take("B") { return .check(.noWord) }
            return .take(try escaped())
        default: return .take(CharacterSet(scalar))
        }
    }

    private mutating func group() throws(PatternProblem) -> PatternNode {
        if take("?"), !take(":") {
            throw PatternProblem(message: "of '(?...)' only '(?:...)' is known: a title could take for ever")
        }
        depth += 1
        guard depth <= Self.depthMax else {
            throw PatternProblem(message: "parentheses stand deeper than \(Self.depthMax) in each other")
        }
        let node = try alternatives()
        guard take(")") else { throw PatternProblem(message: "a '(' has no ')'") }
        depth -= 1
        return node
    }

    private mutating func escaped() throws(PatternProblem) -> CharacterSet {
        guard let scalar = rest.popFirst() else { throw PatternProblem(message: "it ends in a '\\'") }
        switch scalar {
        case "d": return .digit
        case "D": return .digit.inverted
        case "w": return .word
        case "W": return .word.inverted
        case "s": return .space
        case "S": return .space.inverted
        case "t": return CharacterSet("\t")
        case "n": return CharacterSet("\n")
        case "r": return CharacterSet("\r")
        default:
            guard !CharacterSet.word.contains(scalar) else {
                throw PatternProblem(message: "'\\\(scalar)' is not known here")
            }
            return CharacterSet(scalar)
        }
    }

    /// What stands between brackets.
    private mutating func set() throws(PatternProblem) -> CharacterSet {
        var set = CharacterSet([], isInverted: take("^"))
        var isFirst = true
        while let scalar = rest.popFirst() {
            if scalar == "]", !isFirst { return set }
            isFirst = false
            let low: Unicode.Scalar
            if scalar == "\\" {
                let one = try escaped()
                guard let only = one.only else {
                    set.parts.append(one)
                    continue
                }
                low = only
            } else {
                low = scalar
            }
            guard rest.first == "-", let next = rest.dropFirst().first, next != "]" else {
                set.ranges.append(low...low)
                continue
            }
            rest.removeFirst(2)
            let high = next == "\\" ? try escaped().only : next
            guard let high, low <= high else {
                throw PatternProblem(message: "what stands around the '-' in '[]' is no range")
            }
            set.ranges.append(low...high)
        }
        throw PatternProblem(message: "a '[' has no ']'")
    }
}

extension CharacterSet {
    /// Its one character; nil when it takes more.
    fileprivate var only: Unicode.Scalar? {
        guard parts.isEmpty, !isInverted, ranges.count == 1, let range = ranges.first,
            range.lowerBound == range.upperBound
        else { return nil }
        return range.lowerBound
    }
}
