/// What was seen of a case under a token.
package struct SeenCase: Sendable, Encodable {
    /// The requests in their order.
    package let requests: [SeenRequest]
    /// How many connections they came over.
    package let connections: Int

    /// The values of a field, request by request; nil where it was not sent.
    package subscript(_ name: String) -> [String?] { requests.map { $0.request[name] } }
}

/// One request that was seen.
package struct SeenRequest: Sendable, Encodable {
    /// The request.
    package let request: OriginRequest
    /// When it came, on a clock that only runs forwards.
    package let at: Duration

    init(_ request: OriginRequest, at: Duration) {
        self.request = request
        self.at = at
    }

    private enum Key: String, CodingKey { case method, target, fields, connection, milliseconds }

    /// Its fields as pairs, so that none is lost that came twice.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(request.method, forKey: .method)
        try container.encode(request.target, forKey: .target)
        try container.encode(request.fields.map { [$0.name, $0.value] }, forKey: .fields)
        try container.encode(request.connection, forKey: .connection)
        try container.encode(Int(at / .milliseconds(1)), forKey: .milliseconds)
    }
}
