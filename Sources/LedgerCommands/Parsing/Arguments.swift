import ArgumentParser
import LedgerAPI
import LedgerModel

extension DownloadID: ExpressibleByArgument {
    init?(argument: String) {
        guard let number = UInt64(argument), number > 0 else { return nil }
        self.init(number)
    }
}

extension SequenceNumber: ExpressibleByArgument {
    init?(argument: String) {
        guard let number = UInt64(argument), number > 0 else { return nil }
        self.init(number)
    }
}

/// A place in the queue: `first`, `last`, or the n-th.
extension Placement: ExpressibleByArgument {
    init?(argument: String) {
        switch argument {
        case "first": self = .first
        case "last": self = .last
        default:
            guard let index = Int(argument), index > 0 else { return nil }
            self = .index(index)
        }
    }
}

extension ListQuery.Sort: ExpressibleByArgument {}

/// Words with commas between them, such as `--kind video,audio`.
struct CommaList<Element: RawRepresentable & CaseIterable & Sendable>: Sendable, ExpressibleByArgument
where Element.RawValue == String {
    /// The words, in order.
    var elements: [Element]

    init?(argument: String) {
        var elements: [Element] = []
        for word in argument.split(separator: ",") {
            guard let element = Element(rawValue: word.lowercased()) else { return nil }
            elements.append(element)
        }
        guard !elements.isEmpty else { return nil }
        self.elements = elements
    }

    static var allValueStrings: [String] { Element.allCases.map(\.rawValue) }
}
