/// The first few of many in some order, which are given one by one: it holds at most twice as many as are wanted, so
/// that a page of a long list costs no sorting of the list. O(all · log wanted).
package struct FirstFew<Element> {
    private let count: Int
    private let isBefore: (Element, Element) -> Bool
    private var held: [Element] = []
    /// Whatever is to be among the first comes before it; nil while there were too few.
    private var bound: Element?

    /// None as yet.
    /// - Parameters:
    ///   - count: how many are wanted, 0 or more.
    ///   - isBefore: whether the first of two comes before the other: a strict and total order.
    package init(_ count: Int, by isBefore: @escaping (Element, Element) -> Bool) {
        self.count = count
        self.isBefore = isBefore
    }

    /// Whether one could be among the first, by all that was given until now.
    package func takes(_ element: Element) -> Bool {
        guard let bound else { return count > 0 }
        return isBefore(element, bound)
    }

    /// Gives it one more that it ``takes(_:)``.
    package mutating func insert(_ element: Element) {
        held.append(element)
        guard held.count / 2 >= count else { return }
        held = sorted
        bound = held.last
    }

    /// The first of those that were given, in order.
    package var sorted: [Element] { Array(held.sorted(by: isBefore).prefix(count)) }
}
