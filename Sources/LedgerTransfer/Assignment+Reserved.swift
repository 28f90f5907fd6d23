import HTTPTypes

extension Assignment.Header {
    /// Whether a header of this name is not sent though the user set it: framing, ranges and the connection are ours,
    /// and a user's word there would break what we check.
    package static func isReserved(_ name: String) -> Bool { HTTPField.Name(name).map(isReserved) ?? false }

    static func isReserved(_ name: HTTPField.Name) -> Bool { reserved.contains(name) }

    private static let reserved: Set<HTTPField.Name> = [
        .range, .ifRange, .acceptEncoding, .contentLength, .transferEncoding, .connection, .te, .trailer, .upgrade,
    ]
}
