/// The best of what was offered: that of the lowest rank, and of equal ones the first.
struct Ranked<Value> {
    private(set) var value: Value?
    private var rank = Int.max

    /// Takes a value that is better than the one at hand; nil is no value.
    mutating func offer(_ candidate: Value?, rank: Int = 0) {
        guard let candidate, rank < self.rank else { return }
        value = candidate
        self.rank = rank
    }
}
