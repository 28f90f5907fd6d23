package import LedgerModel

/// The secret part of an order; kept in the 0600 secrets file, never in the log.
package struct OrderSecrets: Hashable, Sendable, Codable {
    /// The whole URL when its query held a secret.
    package var url: String?
    /// The whole mirrors with their `user:password@`, in order, when one of them held a secret; else empty.
    package var mirrors: [String] = []
    /// The headers the user set.
    package var headers: [EnqueueRequest.Header] = []
    /// `user:password` for the origin.
    package var credentials: String?
    /// `user:password` for the proxy.
    package var proxyCredentials: String?
    /// The token of bearer authentication for the origin.
    package var bearer: String?
    /// The whole URL of the file of checksums when its query held a secret.
    package var checksumFile: String?

    /// Nothing secret.
    package init() {}

    /// Whether nothing is secret.
    package var isEmpty: Bool { self == OrderSecrets() }
}

extension EnqueueRequest {
    /// Parses the request into what may be written down and what may not.
    ///
    /// The order's `secret` is nil: whoever keeps the secrets names them.
    package func order() throws(RequestProblem) -> (order: Order, secrets: OrderSecrets) {
        var secrets = OrderSecrets()
        let main = try Self.parse(url)
        let shown = main.url.redacted
        if refusesPrivateAddresses { try Self.confine(main.url) }
        secrets.credentials = credentials ?? main.credentials
        if shown != main.url { secrets.url = main.url.text }
        if let credentials = secrets.credentials { try Self.check(credentials) }
        if let bearer {
            let header = Header(name: "Authorization", value: "Bearer " + bearer)
            guard header.isValid, !bearer.isEmpty, secrets.credentials == nil else { throw .bearer }
            secrets.bearer = bearer
        }
        let options = try options(&secrets)
        var expected: Digest?
        if let checksum {
            guard let digest = Digest(parsing: checksum) else { throw .checksum(checksum) }
            expected = digest
        }
        // An empty word is none, as `change` takes it.
        let labels = Labels(
            group: Self.word(group), title: Self.word(title), details: Self.word(details),
            tags: tags.filter { !$0.isEmpty }, identifier: Self.word(identifier), published: published)
        try Self.check(labels)
        let order = Order(
            url: shown, destination: try destination(), expected: expected,
            pieces: try pieceHashes().map { Shared($0) },
            labels: labels == Labels() ? Labels.none : Shared(labels),
            options: options == TransferOptions() ? TransferOptions.standard : Shared(options))
        return (order, secrets)
    }
}

extension EnqueueRequest {
    static func check(_ credentials: String) throws(RequestProblem) {
        let hasControls = credentials.unicodeScalars.contains { $0.value < 32 || $0.value == 127 }
        guard !hasControls, credentials.first != ":", !credentials.isEmpty else { throw .credentials }
    }

    static func word(_ text: String?) -> String? { text?.isEmpty ?? true ? nil : text }

    /// Bounds what is shown of a download in every list.
    static func check(_ labels: Labels) throws(RequestProblem) {
        if let group = labels.group, group.utf8.count > GroupLimits.nameBytesMax {
            throw .labels(.group(bytes: group.utf8.count))
        }
        guard labels.textBytes <= Labels.textBytesMax else { throw .labels(.texts(bytes: labels.textBytes)) }
    }

    private func destination() throws(RequestProblem) -> Destination {
        let collision: Destination.Collision =
            switch self.collision {
            case .number: .number
            case .overwrite: .overwrite
            case .skip: .skip
            case .refuse: .refuse
            }
        do throws(DestinationProblem) {
            return try Destination.parse(directory: directory, name: name, collision: collision)
        } catch { throw .destination(error) }
    }

    static func parse(_ text: String) throws(RequestProblem) -> ResourceURL.Parsed {
        do throws(URLProblem) { return try ResourceURL.parse(text) } catch { throw .url(text, error) }
    }

    /// What a proxy looks like, in words.
    package static let proxyForm = "a proxy is [http, https, socks5 or socks5h]://[NAME:PASSWORD@]HOST[:PORT]"

    /// Whether a text names a proxy.
    package static func isProxy(_ text: String) -> Bool {
        do throws(RequestProblem) {
            _ = try parse(proxy: text)
            return true
        } catch { return false }
    }

    static func parse(proxy text: String) throws(RequestProblem) -> (String, credentials: String?) {
        do throws(URLProblem) {
            let proxy = try Proxy.parse(text)
            return (proxy.text, proxy.credentials)
        } catch { throw .proxy(text) }
    }
}

extension EnqueueRequest.Header {
    /// Whether the name is a token and the value holds no control character but the tab (RFC 9110, section 5).
    package var isValid: Bool {
        let marks = Set("!#$%&'*+-.^_`|~".utf8)
        let isToken = name.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "a")...UInt8(ascii: "z"):
                true
            default: marks.contains(byte)
            }
        }
        return !name.isEmpty && isToken && value.utf8.allSatisfy { $0 == 9 || ($0 >= 32 && $0 != 127) }
    }

    /// Parses `NAME: VALUE`; nil when it is none.
    package init?(parsing text: String) {
        guard let colon = text.firstIndex(of: ":") else { return nil }
        let value = text[text.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
        self.init(name: String(text[..<colon]), value: String(value))
        guard isValid else { return nil }
    }
}
