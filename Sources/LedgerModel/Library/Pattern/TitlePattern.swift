/// A regular expression that says which titles are wanted. Strangers write the titles, so it is matched in a time that
/// grows with the pattern and the title and with nothing else: by following all ways through it at once (K. Thompson,
/// "Regular Expression Search Algorithm", CACM 11(6), 1968).
///
/// It knows characters, `.`, `[a-z]`, `[^a-z]`, `\d`, `\w`, `\s` and their opposites, `\b`, `\B`, `^`, `$`, `(...)`,
/// `(?:...)`, `|`, `*`, `+`, `?`, `{2}`, `{2,}`, `{2,4}`. It knows no backreferences and does not look around: no such
/// time is known for those. Case does not count. It matches anywhere in a title.
package struct TitlePattern: Hashable, Sendable {
    /// How long a pattern may be once its repetitions are written out, in steps; a longer one is refused.
    package static let stepsMax = 5000

    /// What a way through the pattern does next.
    enum Step: Hashable, Sendable {
        case take(CharacterSet)
        case check(Boundary)
        /// Both ways.
        case fork(Int, Int)
        case go(Int)
        case match
    }

    /// A place between two characters.
    enum Boundary: Hashable, Sendable { case start, end, word, noWord }

    private let steps: [Step]

    /// The pattern of a text.
    /// - Throws: ``PatternProblem``: why it is none.
    package init(_ text: String) throws(PatternProblem) {
        var parser = PatternParser(text)
        let node = try parser.parse()
        var steps: [Step] = []
        try node.write(into: &steps)
        steps.append(.match)
        self.steps = steps
    }

    /// Whether it matches somewhere in a title. O(steps x length of the title).
    package func matches(_ title: String) -> Bool {
        let scalars = Array(title.lowercased().unicodeScalars)
        var (ways, next) = (Ways(count: steps.count), Ways(count: steps.count))
        for place in 0...scalars.count {
            // It may begin anywhere.
            if follow(from: 0, at: place, in: scalars, into: &ways) { return true }
            guard place < scalars.count else { return false }
            for way in ways.all {
                if case .take(let set) = steps[way], set.contains(scalars[place]),
                    follow(from: way + 1, at: place + 1, in: scalars, into: &next)
                {
                    return true
                }
            }
            (ways, next) = (next, ways)
            next.removeAll()
        }
        return false
    }

    /// Adds every step that takes a character and can be reached from one without taking any; true for the end.
    private func follow(from step: Int, at place: Int, in title: [Unicode.Scalar], into ways: inout Ways) -> Bool {
        var open = [step]
        while let step = open.popLast() {
            guard ways.insert(step) else { continue }
            switch steps[step] {
            case .take: break
            case .check(let boundary): if boundary.holds(at: place, in: title) { open.append(step + 1) }
            case .fork(let first, let second): open += [first, second]
            case .go(let target): open.append(target)
            case .match: return true
            }
        }
        return false
    }
}

/// Why a text is no pattern of titles.
package struct PatternProblem: Error, Hashable, Sendable {
    /// In words.
    package let message: String
}

extension TitlePattern.Boundary {
    fileprivate func holds(at place: Int, in title: [Unicode.Scalar]) -> Bool {
        func isWord(_ index: Int) -> Bool {
            title.indices.contains(index) && CharacterSet.word.contains(title[index])
        }
        return switch self {
        case .start: place == 0
        case .end: place == title.count
        case .word: isWord(place - 1) != isWord(place)
        case .noWord: isWord(place - 1) == isWord(place)
        }
    }
}

/// A set of steps that is emptied without touching each.
private struct Ways {
    private(set) var all: [Int] = []
    private var marks: [Int]
    private var mark = 1

    init(count: Int) { marks = [Int](repeating: 0, count: count) }

    /// False when it was there.
    mutating func insert(_ step: Int) -> Bool {
        guard marks[step] != mark else { return false }
        marks[step] = mark
        all.append(step)
        return true
    }

    mutating func removeAll() {
        all.removeAll(keepingCapacity: true)
        mark += 1
    }
}
