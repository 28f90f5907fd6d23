/// The values of each key, the newest at hand. Most keys have one value, so only the others cost an array.
struct NewestIndex<Key: Hashable & Sendable, Value: Hashable & Comparable & Sendable>: Hashable, Sendable {
    private var newest: [Key: Value] = [:]
    /// What stands behind the newest of a key, ascending; absent when nothing does.
    private var older: [Key: [Value]] = [:]

    /// Makes room for so many keys.
    mutating func reserve(_ count: Int) { newest.reserveCapacity(count) }

    /// The greatest value of a key.
    subscript(key: Key) -> Value? { newest[key] }

    /// The values of a key, newest first.
    func values(of key: Key) -> [Value] {
        guard let first = newest[key] else { return [] }
        return [first] + (older[key] ?? []).reversed()
    }

    mutating func insert(_ value: Value, for key: Key) {
        // Most keys are new: one look is enough for them.
        guard let held = newest.updateValue(value, forKey: key), held != value else { return }
        if held > value { newest[key] = held }
        var behind = older.removeValue(forKey: key) ?? []
        let place = behind.lastIndex { $0 <= min(held, value) }.map { $0 + 1 } ?? 0
        if place == 0 || behind[place - 1] != min(held, value) { behind.insert(min(held, value), at: place) }
        older[key] = behind
    }

    mutating func remove(_ value: Value, for key: Key) {
        var behind = older.removeValue(forKey: key) ?? []
        if newest[key] == value {
            newest[key] = behind.popLast()
        } else {
            behind.removeAll { $0 == value }
        }
        if !behind.isEmpty { older[key] = behind }
    }
}
