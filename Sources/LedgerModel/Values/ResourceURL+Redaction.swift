extension ResourceURL {
    /// The query parameters whose values open doors: signed-URL and token names in common use, in lower case.
    package static let secretParameters: Set<String> = [
        "token", "access_token", "auth_token", "id_token", "refresh_token", "api_key", "apikey", "api-key", "key",
        "auth", "authorization", "password", "passwd", "pwd", "secret", "client_secret", "sig", "signature", "hmac",
        "session", "sessionid", "jwt", "credential", "policy", "key-pair-id", "awsaccesskeyid",
        "x-amz-signature", "x-amz-credential", "x-amz-security-token", "x-goog-signature", "x-goog-credential",
    ]

    /// The URL as it may be written down: values of ``secretParameters`` are replaced by `REDACTED`.
    package var redacted: ResourceURL {
        guard let query else { return self }
        let parts = query.split(separator: "&", omittingEmptySubsequences: false).map { part in
            guard let equals = part.firstIndex(of: "="), equals != part.index(before: part.endIndex),
                Self.secretParameters.contains(Self.percentDecoded(part[..<equals]).lowercased())
            else { return String(part) }
            return part[...equals] + "REDACTED"
        }
        let joined = parts.joined(separator: "&")
        return joined == query ? self : ResourceURL(redactedFrom: self, query: joined)
    }

    /// The last component of the path with its encoding undone; empty when the path ends in `/`.
    package var lastPathComponent: String {
        Self.percentDecoded(path.suffix(from: path.index(after: path.lastIndex(of: "/") ?? path.startIndex)))
    }
}
