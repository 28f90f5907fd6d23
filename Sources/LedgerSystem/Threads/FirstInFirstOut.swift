/// A queue in two arrays: what comes is appended to one, what goes is taken off the end of the other, reversed.
/// Each element moves once.
struct FirstInFirstOut<Element: Sendable>: Sendable {
    private var incoming: [Element] = []
    private var outgoing: [Element] = []

    var count: Int { incoming.count + outgoing.count }

    mutating func append(_ element: Element) { incoming.append(element) }

    mutating func popFirst() -> Element? {
        if outgoing.isEmpty {
            outgoing = incoming.reversed()
            incoming.removeAll(keepingCapacity: true)
        }
        return outgoing.popLast()
    }
}
