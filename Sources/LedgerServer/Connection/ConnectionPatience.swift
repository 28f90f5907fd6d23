/// How long clients may take before their connections are closed.
package struct ConnectionPatience: Hashable, Sendable {
    /// How long the head of a request may take, and a connection may lie unused, in milliseconds.
    package var headMillisecondsMax: Int64 = 60_000
    /// How long a body may take on the whole, in milliseconds.
    package var bodyMillisecondsMax: Int64 = 120_000
    /// How long a peer may take nothing of an answer, in milliseconds.
    package var stallMillisecondsMax: Int64 = 30_000

    /// The usual patience: a minute for a head, two for a body, half of one for a client that reads nothing.
    package init() {}
}
