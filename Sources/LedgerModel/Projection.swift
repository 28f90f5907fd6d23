/// A value folded from events alone.
package protocol Projection: Hashable, Sendable {
    /// Raised when the fold's meaning changes: older snapshots are then folded anew.
    static var version: UInt16 { get }

    /// The state before the first event.
    init()

    /// Takes one event into account. Total: it never throws, waits, reads a clock or draws a number.
    mutating func apply(_ event: Recorded)
}
