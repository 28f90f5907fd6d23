/// How long clients may take before their connections are closed.
package struct ConnectionPatience: Hashable, Sendable {
    /// How long the head of a connection's first request may take, in milliseconds: who connects has something to say.
    package var firstHeadMillisecondsMax: Int64 = 15_000
    /// How long the head of a further request may take, and a connection may lie unused, in milliseconds.
    package var headMillisecondsMax: Int64 = 60_000
    /// How long a body may take on the whole, in milliseconds.
    package var bodyMillisecondsMax: Int64 = 120_000
    /// How long a peer may take nothing of an answer, in milliseconds.
    package var stallMillisecondsMax: Int64 = 30_000
    /// How long what a client still sends is taken after the last that it is told, in milliseconds: a connection that
    /// is cut before takes with it what the client has not read yet (RFC 9112, section 9.6).
    package var lingerMillisecondsMax: Int64 = 5_000

    /// The usual patience: a quarter of a minute for the first head, a minute for others, two for a body, half of one
    /// for a client that reads nothing.
    package init() {}
}
