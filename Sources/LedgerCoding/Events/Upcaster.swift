/// Lifts events of one type from one schema version to a later one. Released upcasters are never edited.
package protocol Upcaster: Sendable {
    /// The type byte it applies to.
    var type: UInt8 { get }
    /// The schema version it reads.
    var from: UInt8 { get }
    /// The schema version it makes; higher than ``from``.
    var to: UInt8 { get }

    /// The same event in version ``to``. It sees only the event: no clock, no disk, no other event.
    func upcast(_ event: RawEvent) throws(CodingError) -> RawEvent
}

/// Every upcaster that was ever released, in order.
package struct UpcasterChain: Sendable {
    private let steps: [any Upcaster]

    /// A chain of upcasters; for each type and version there is at most one.
    package init(_ upcasters: [any Upcaster]) {
        var seen: Set<[UInt8]> = []
        for step in upcasters {
            precondition(step.to > step.from, "an upcaster leads to a higher version")
            precondition(seen.insert([step.type, step.from]).inserted, "one upcaster leads on from a version")
        }
        steps = upcasters
    }

    /// Lifts an event step by step to `version`.
    /// - Throws: ``CodingError`` with `.noUpcaster` when the steps do not lead exactly there.
    package func lift(_ event: RawEvent, to version: UInt8) throws(CodingError) -> RawEvent {
        var event = event
        while event.version < version {
            guard let step = steps.first(where: { $0.type == event.type && $0.from == event.version }) else {
                throw CodingError(.noUpcaster)
            }
            event = try step.upcast(event)
            event.version = step.to
        }
        guard event.version == version else { throw CodingError(.noUpcaster) }
        return event
    }
}
