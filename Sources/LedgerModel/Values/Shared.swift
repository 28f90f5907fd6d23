/// An immutable value kept once and pointed to, so that a million downloads with the same rare options cost one.
package final class Shared<Value: Hashable & Sendable>: Hashable, Sendable {
    /// The value.
    package let value: Value

    /// Keeps a value.
    package init(_ value: Value) { self.value = value }

    package static func == (one: Shared, other: Shared) -> Bool { one === other || one.value == other.value }

    package func hash(into hasher: inout Hasher) { value.hash(into: &hasher) }
}
