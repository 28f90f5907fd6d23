package import HTTPTypes
package import LedgerModel

/// One HTTP request, whole: what is not in here is not sent (but for `Host`, `Connection` and what TLS needs).
package struct TransferRequest: Sendable {
    /// The URL with its secrets. Never logged: messages use ``ResourceURL/redacted``.
    package var url: ResourceURL
    /// `GET` for bodies.
    package var method: HTTPRequest.Method
    /// The fields in the order to send them.
    package var fields: HTTPFields
    /// The way there.
    package var route: Route
    /// Whether a body that comes packed by gzip or deflate is handed over as what it unpacks to.
    package var decodes = false

    /// The way to an origin; connections are shared among requests with equal routes.
    package struct Route: Hashable, Sendable {
        /// The longest silence in milliseconds: to connect, to the first byte, between bytes.
        package var silenceMillisecondsMax: UInt32
        /// The proxy to go through, with its credentials; nil for none.
        package var proxy: Proxy?
        /// A PEM file of authorities to trust instead of the system's.
        package var certificateAuthorityFile: String?
        /// Whether certificates go unchecked.
        package var isInsecure: Bool
        /// What shows the origin who we are; nil for nothing.
        package var clientCertificate: ClientCertificate?
        /// Whether HTTP/2 is taken where the origin offers it.
        package var prefersHTTP2: Bool
        /// Whether private addresses (``NetworkAddress/isPrivate``) are left alone: none is connected to, and a
        /// connection that leads to one after all is closed before the request is sent. Of no effect behind a proxy,
        /// which is the one that connects.
        package var refusesPrivateAddresses = false

        /// A way with every field given.
        package init(
            silenceMillisecondsMax: UInt32, proxy: Proxy? = nil, certificateAuthorityFile: String? = nil,
            isInsecure: Bool = false, clientCertificate: ClientCertificate? = nil, prefersHTTP2: Bool = false
        ) {
            self.silenceMillisecondsMax = silenceMillisecondsMax
            self.proxy = proxy
            self.certificateAuthorityFile = certificateAuthorityFile
            self.isInsecure = isInsecure
            self.clientCertificate = clientCertificate
            self.prefersHTTP2 = prefersHTTP2
        }

        /// The same for TLS with the proxy itself, which is not to see who we are to the origin.
        package var towardsProxy: Route {
            var route = self
            route.clientCertificate = nil
            return route
        }
    }

    /// A certificate of ours, and its key.
    package struct ClientCertificate: Hashable, Sendable {
        /// A PEM file with the certificate, and those between it and an authority.
        package var certificateFile: String
        /// A PEM file with the private key; nil when it stands in the other one.
        package var keyFile: String?

        /// A certificate and its key by their files.
        package init(certificateFile: String, keyFile: String?) {
            self.certificateFile = certificateFile
            self.keyFile = keyFile
        }
    }

    /// A request of these parts.
    package init(url: ResourceURL, method: HTTPRequest.Method = .get, fields: HTTPFields, route: Route) {
        self.url = url
        self.method = method
        self.fields = fields
        self.route = route
    }
}

/// The head of an answer.
package struct TransferResponse: Sendable {
    /// The status code, 100 to 999.
    package var status: Int
    /// The fields as they came.
    package var fields: HTTPFields
    /// How the end of the body is known.
    package var framing: BodyFraming
    /// What comes of the body before somebody says where it goes; nil where the transport holds it back.
    package var early: (any EarlyBody)?

    /// The values of its `Set-Cookie` fields.
    var cookiesSet: [String] { fields[values: .setCookie] }

    /// Whether it sends the client elsewhere (RFC 9110, section 15.4).
    var isRedirect: Bool { [301, 302, 303, 307, 308].contains(status) }

    /// The slice that it says it is (RFC 9110, section 14.4); nil when it says none that can be read.
    var contentRange: ContentRange? { fields.value(of: .contentRange).flatMap(ContentRange.init(reading:)) }

    /// The media type of its body; nil when it names none.
    var mediaType: String? { fields.value(of: .contentType).flatMap(ContentType.mediaType) }

    /// How long it says that the whole entity is, in bytes; nil when it does not.
    var statedLength: UInt64? {
        switch contentRange {
        case .slice(_, let total)?: return total
        case .unsatisfied(let total)?: return total
        case nil: break
        }
        if status == 200, case .length(let length) = framing { return length }
        return nil
    }

    /// Where it redirects to, however often it says that; nil when it names no place, or several.
    var location: String? {
        let places = Set(fields[values: .location])
        return places.count == 1 ? places.first : nil
    }

    /// A head with every field given.
    package init(status: Int, fields: HTTPFields, framing: BodyFraming) {
        self.status = status
        self.fields = fields
        self.framing = framing
    }
}

/// How the end of a body is known (RFC 9112, section 6.3).
package enum BodyFraming: Hashable, Sendable {
    /// By its length in bytes.
    case length(UInt64)
    /// By its last chunk.
    case chunked
    /// By the connection's close.
    case close
}
