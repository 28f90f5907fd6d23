/// What a set of answers says about files: a file is explained when each of its bytes stands, at its place, in an
/// answer about one and the same entity, and its length is one that they state.
package struct Explanation: Sendable {
    /// What makes two answers be about one entity.
    private enum Entity: Hashable {
        case tag(String)
        case date(String)
        case alone(Int)
    }

    private struct Piece {
        var entities: Set<Entity>
        var start: UInt64
        var bytes: [UInt8]
        var total: UInt64?
    }

    private var pieces: [Piece] = []
    /// Lengths that answers state which do not say of what.
    private var totals: Set<UInt64> = []

    /// Nothing is explained yet.
    package init() {}

    /// Adds bytes from byte 0 of an entity, held before the first answer.
    package mutating func add(held bytes: [UInt8], tag: String, total: UInt64?) {
        pieces.append(Piece(entities: [.tag(tag)], start: 0, bytes: bytes, total: total))
    }

    /// Adds an answer. One that is refused says nothing.
    package mutating func add(_ answer: ReadAnswer) {
        let number = pieces.count
        switch answer.status {
        case 204, 205:
            pieces.append(Piece(entities: [.alone(number)], start: 0, bytes: [], total: 0))
        case 416:
            let parts = answer.values("content-range").first?.split(separator: "*/") ?? []
            if let total = parts.last.flatMap({ UInt64($0) }) { totals.insert(total) }
        case 200..<300 where answer.status == 206 || !answer.values("content-range").isEmpty:
            guard let (range, total) = answer.slice else { return }
            let bytes = Array(answer.body.prefix(Int(clamping: range.upperBound - range.lowerBound)))
            pieces.append(
                Piece(entities: Self.entities(of: answer, number), start: range.lowerBound, bytes: bytes, total: total))
        case 200..<300:
            let total = answer.length ?? (answer.isWhole ? UInt64(answer.body.count) : nil)
            pieces.append(
                Piece(entities: Self.entities(of: answer, number), start: 0, bytes: answer.body, total: total))
        default: break
        }
    }

    /// Whether the answers say that this is a file.
    package func explains(_ file: [UInt8]) -> Bool {
        groups.contains { group in
            let isStated = group.contains { $0.total == UInt64(file.count) } || totals.contains(UInt64(file.count))
            return isStated && Self.covers(group, file[...])
        }
    }

    /// Whether the answers say that a file begins like this.
    package func explains(beginning: ArraySlice<UInt8>) -> Bool {
        beginning.isEmpty || groups.contains { Self.covers($0, beginning) }
    }

    private var groups: [[Piece]] {
        Set(pieces.flatMap(\.entities)).map { entity in pieces.filter { $0.entities.contains(entity) } }
    }

    private static func covers(_ pieces: [Piece], _ file: ArraySlice<UInt8>) -> Bool {
        var isExplained = [Bool](repeating: false, count: file.count)
        for piece in pieces where piece.start < UInt64(file.count) {
            let start = Int(piece.start)
            for (index, byte) in piece.bytes.prefix(file.count - start).enumerated()
            where file[file.startIndex + start + index] == byte {
                isExplained[start + index] = true
            }
        }
        return isExplained.allSatisfy { $0 }
    }

    private static func entities(of answer: ReadAnswer, _ number: Int) -> Set<Entity> {
        var entities: Set<Entity> = []
        let tags = answer.values("etag")
        if tags.count == 1, let tag = tags.first, tag.hasPrefix("\"") { entities.insert(.tag(tag)) }
        let dates = answer.values("last-modified")
        if dates.count == 1, let date = dates.first { entities.insert(.date(date)) }
        return entities.isEmpty ? [.alone(number)] : entities
    }
}
