/// A list that mostly has one element or none, which then stands in the list itself: only a longer one takes memory of
/// its own. It is what some values store, and stays in this module, where the compiler makes one of each kind of it.
enum Few<Element: Hashable & Sendable>: Hashable, Sendable {
    case none
    case one(Element)
    /// Two or more, so that equal lists are equal.
    case many([Element])

    init(_ elements: [Element]) {
        self = elements.count > 1 ? .many(elements) : elements.first.map { .one($0) } ?? .none
    }

    var count: Int {
        switch self {
        case .none: 0
        case .one: 1
        case .many(let elements): elements.count
        }
    }

    var elements: [Element] {
        switch self {
        case .none: []
        case .one(let element): [element]
        case .many(let elements): elements
        }
    }
}
