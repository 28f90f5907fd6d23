import ArgumentParser
import LedgerAPI

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
    static var defaultCompletionKind: CompletionKind { .list(allValueStrings) }
}
