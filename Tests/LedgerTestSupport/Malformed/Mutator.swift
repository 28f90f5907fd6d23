/// Spoils well-formed answers, each time in another way: the same generator gives the same answers for ever.
package struct Mutator: Sendable {
    var generator: SplitMix64
    /// What was done, in order.
    package internal(set) var notes: [String] = []

    /// A mutator that draws from `generator`.
    package init(_ generator: SplitMix64) { self.generator = generator }

    /// The bytes of an answer with one to three things wrong in it.
    package mutating func mutated(_ answer: WireAnswer) -> [UInt8] {
        var answer = answer
        var edits = 0
        for _ in 0..<Int.random(in: 1...3, using: &generator) {
            switch Int.random(in: 0..<12, using: &generator) {
            case 0: spoilStatus(&answer)
            case 1, 2: spoilNumber(&answer)
            case 3, 4: spoilField(&answer)
            case 5, 6: spoilFraming(&answer)
            case 7: spoilEntity(&answer)
            case 8: spoilBody(&answer)
            case 9: spoilChunks(&answer)
            default: edits += 1
            }
        }
        var bytes = answer.bytes
        // Most of the bytes are body; the head is where an edit means something.
        let head = answer.ahead.count + answer.status.count + answer.fields.reduce(0) { $0 + $1.count + 2 } + 4
        for _ in 0..<edits { edit(&bytes, within: chance(1, of: 4) ? bytes.count : min(bytes.count, head)) }
        return bytes
    }

    /// One edit of bytes: a bit flipped, a byte replaced, inserted or removed, a run doubled, the rest cut off.
    private mutating func edit(_ bytes: inout [UInt8], within count: Int) {
        guard count > 0 else { return }
        let place = Int.random(in: 0..<count, using: &generator)
        let value = UInt8.random(in: 0...255, using: &generator)
        let run = place..<min(count, place + Int.random(in: 1...12, using: &generator))
        switch Int.random(in: 0..<8, using: &generator) {
        case 0, 1:
            note("flips a bit of byte \(place)")
            bytes[place] ^= 1 << (value % 8)
        case 2:
            note("byte \(place) is \(value)")
            bytes[place] = value
        case 3:
            note("inserts \(value) at \(place)")
            bytes.insert(value, at: place)
        case 4:
            note("removes bytes \(run)")
            bytes.removeSubrange(run)
        case 5:
            note("doubles bytes \(run)")
            bytes.insert(contentsOf: Array(bytes[run]), at: run.upperBound)
        case 6:
            let odd: [UInt8] = [0, 9, 10, 13, 32, 44, 58, 59, 0xFF]
            note("byte \(place) is one that means something")
            bytes[place] = odd[Int(value) % odd.count]
        default:
            note("ends at byte \(place)")
            bytes.removeSubrange(place...)
        }
    }

    mutating func note(_ what: String) { notes.append(what) }

    mutating func chance(_ count: Int, of all: Int) -> Bool { Int.random(in: 0..<all, using: &generator) < count }

    mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[Int.random(in: 0..<elements.count, using: &generator)]
    }
}
