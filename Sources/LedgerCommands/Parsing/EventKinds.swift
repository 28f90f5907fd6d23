import ArgumentParser
import LedgerModel

/// Types of events with commas between them, such as `--type completed,failed`.
struct EventKinds: Hashable, Sendable, ExpressibleByArgument {
    /// The types.
    let kinds: Set<Event.Kind>

    init?(argument: String) {
        var kinds: Set<Event.Kind> = []
        for word in argument.split(separator: ",") {
            guard let kind = Event.Kind.allCases.first(where: { $0.name == word.lowercased() }) else { return nil }
            kinds.insert(kind)
        }
        guard !kinds.isEmpty else { return nil }
        self.kinds = kinds
    }

    static var allValueStrings: [String] { Event.Kind.allCases.map(\.name) }
    static var defaultCompletionKind: CompletionKind { .list(allValueStrings) }
}

extension EventActor: ExpressibleByArgument {
    package init?(argument: String) {
        guard let actor = Self.allCases.first(where: { $0.name == argument.lowercased() }) else { return nil }
        self = actor
    }

    package static var allValueStrings: [String] { allCases.map(\.name) }
}
