/// Which characters one place of a pattern takes; titles are in lower case.
struct CharacterSet: Hashable, Sendable {
    var ranges: [ClosedRange<Unicode.Scalar>]
    /// Sets that are part of it.
    var parts: [CharacterSet] = []
    /// Whether it takes all others instead.
    var isInverted = false

    init(_ ranges: [ClosedRange<Unicode.Scalar>], isInverted: Bool = false) {
        (self.ranges, self.isInverted) = (ranges, isInverted)
    }

    /// One character, in whatever case.
    init(_ scalar: Unicode.Scalar) { self.init([scalar...scalar]) }

    static let any = CharacterSet([], isInverted: true)
    static let digit = CharacterSet(["0"..."9"])
    static let space = CharacterSet(["\t"..."\r", " "..." ", "\u{85}"..."\u{85}", "\u{A0}"..."\u{A0}"])
    /// Letters, digits and the underscore, of any script.
    static let word = CharacterSet([], wordsOnly: true)

    private var isOfWords = false

    private init(_ ranges: [ClosedRange<Unicode.Scalar>], wordsOnly: Bool) {
        self.init(ranges)
        isOfWords = wordsOnly
    }

    /// All that it does not take.
    var inverted: CharacterSet {
        var other = self
        other.isInverted.toggle()
        return other
    }

    func contains(_ scalar: Unicode.Scalar) -> Bool { holds(scalar) != isInverted }

    private func holds(_ scalar: Unicode.Scalar) -> Bool {
        if isOfWords { return scalar == "_" || scalar.properties.isAlphabetic || scalar.properties.numericType != nil }
        if ranges.contains(where: { $0.contains(scalar) }) || parts.contains(where: { $0.contains(scalar) }) {
            return true
        }
        // The pattern may name it in upper case.
        let upper = scalar.properties.uppercaseMapping.unicodeScalars
        guard upper.count == 1, let other = upper.first, other != scalar else { return false }
        return ranges.contains { $0.contains(other) }
    }
}
