/// Elements in ascending order, each once, in chunks of ``chunkMax``: what changes moves no more than one of them.
///
/// Finding, inserting and removing look at O(log n) elements and move at most a chunk, and the list of chunks where one
/// is made or goes; a place by its number is O(n / ``chunkMax``). A copy shares every chunk until that is written.
package struct SortedList<Element: Comparable & Sendable>: Sendable {
    /// How many elements a chunk has at most.
    static var chunkMax: Int { 256 }

    private var chunks: [[Element]] = []
    /// The first element of each chunk: found without a look at the chunks.
    private var firsts: [Element] = []
    /// How many elements there are.
    package private(set) var count = 0

    /// How many chunks there are.
    var chunkCount: Int { chunks.count }

    /// Where an element stands; of use until the list changes.
    package struct Index: Comparable, Sendable {
        fileprivate var chunk: Int
        fileprivate var row: Int

        package static func < (one: Self, other: Self) -> Bool {
            one.chunk != other.chunk ? one.chunk < other.chunk : one.row < other.row
        }
    }

    /// No elements.
    init() {}

    /// Elements of which each is greater than the one before.
    init(ascending elements: [Element]) {
        assert(zip(elements, elements.dropFirst()).allSatisfy(<), "each element is greater than the one before")
        for start in stride(from: 0, to: elements.count, by: Self.chunkMax) {
            firsts.append(elements[start])
            chunks.append(Array(elements[start...].prefix(Self.chunkMax)))
        }
        count = elements.count
    }

    /// The first element that is not less than another; the end when there is none.
    func firstIndex(notBefore element: Element) -> Index { endOfPrefix { $0 < element } }

    /// The first element that is greater than another; the end when there is none.
    func firstIndex(after element: Element) -> Index { endOfPrefix { $0 <= element } }

    /// Adds an element where it belongs, unless it is there.
    mutating func insert(_ element: Element) {
        guard !chunks.isEmpty else {
            (chunks, firsts, count) = ([[element]], [element], 1)
            return
        }
        // What goes before all goes into the first chunk.
        let chunk = Swift.max(0, firsts.prefixLength(while: { $0 <= element }) - 1)
        var place = Index(chunk: chunk, row: chunks[chunk].prefixLength(while: { $0 < element }))
        let length = chunks[place.chunk].count
        if place.row < length, chunks[place.chunk][place.row] == element { return }
        if length == Self.chunkMax { place = makeRoom(at: place) }
        chunks[place.chunk].insert(element, at: place.row)
        if place.row == 0 { firsts[place.chunk] = element }
        count += 1
    }

    /// Takes an element out, if it is there.
    mutating func remove(_ element: Element) {
        let chunk = firsts.prefixLength(while: { $0 <= element }) - 1
        guard chunk >= 0 else { return }
        let row = chunks[chunk].prefixLength(while: { $0 < element })
        guard row < chunks[chunk].count, chunks[chunk][row] == element else { return }
        chunks[chunk].remove(at: row)
        count -= 1
        if chunks[chunk].isEmpty {
            chunks.remove(at: chunk)
            firsts.remove(at: chunk)
        } else {
            if row == 0 { firsts[chunk] = chunks[chunk][0] }
            joinIfShort(chunk)
            joinIfShort(chunk - 1)
        }
    }

    /// Makes a full chunk two: halves, or an empty one behind it for what only grows at its end.
    /// - Returns: where the place is then.
    private mutating func makeRoom(at place: Index) -> Index {
        let isAtEnd = place.chunk == chunks.count - 1 && place.row == Self.chunkMax
        let half = isAtEnd ? Self.chunkMax : Self.chunkMax / 2
        var behind: [Element] = []
        behind.reserveCapacity(Self.chunkMax)
        behind += chunks[place.chunk][half...]
        chunks[place.chunk].removeLast(Self.chunkMax - half)
        // Where it is empty, the caller puts the first one there.
        firsts.insert(behind.first ?? firsts[place.chunk], at: place.chunk + 1)
        chunks.insert(behind, at: place.chunk + 1)
        return isAtEnd || place.row > half ? Index(chunk: place.chunk + 1, row: place.row - half) : place
    }

    /// Puts a chunk and the next one into one where both are short, so that what was taken out leaves no crowd of them.
    private mutating func joinIfShort(_ chunk: Int) {
        let next = chunk + 1
        guard chunk >= 0, next < chunks.count, chunks[chunk].count + chunks[next].count <= Self.chunkMax / 2 else {
            return
        }
        let joined = chunks.remove(at: next)
        firsts.remove(at: next)
        chunks[chunk] += joined
    }

    /// Where the first element stands that does not fulfil `isBefore`, where none behind it does.
    private func endOfPrefix(while isBefore: (Element) -> Bool) -> Index {
        let chunk = firsts.prefixLength(while: isBefore) - 1
        guard chunk >= 0 else { return startIndex }
        let row = chunks[chunk].prefixLength(while: isBefore)
        return row < chunks[chunk].count ? Index(chunk: chunk, row: row) : Index(chunk: chunk + 1, row: 0)
    }
}

extension SortedList: BidirectionalCollection {
    package var startIndex: Index { Index(chunk: 0, row: 0) }
    package var endIndex: Index { Index(chunk: chunks.count, row: 0) }

    package func index(after index: Index) -> Index {
        index.row + 1 < chunks[index.chunk].count
            ? Index(chunk: index.chunk, row: index.row + 1) : Index(chunk: index.chunk + 1, row: 0)
    }

    package func index(before index: Index) -> Index {
        index.row > 0
            ? Index(chunk: index.chunk, row: index.row - 1)
            : Index(chunk: index.chunk - 1, row: chunks[index.chunk - 1].count - 1)
    }

    /// The element at an index.
    package subscript(index: Index) -> Element { chunks[index.chunk][index.row] }

    /// How many elements come before an index.
    func count(before index: Index) -> Int { chunks[..<index.chunk].reduce(index.row) { $0 + $1.count } }

    /// The element before which so many others come; the end when there are no more.
    func index(at offset: Int) -> Index {
        var rest = offset
        for (chunk, elements) in chunks.enumerated() {
            if rest < elements.count { return Index(chunk: chunk, row: rest) }
            rest -= elements.count
        }
        return endIndex
    }
}

extension SortedList: Equatable {
    package static func == (one: Self, other: Self) -> Bool {
        one.count == other.count && one.elementsEqual(other)
    }
}

extension SortedList: Hashable where Element: Hashable {
    package func hash(into hasher: inout Hasher) {
        hasher.combine(count)
        for element in self { hasher.combine(element) }
    }
}
