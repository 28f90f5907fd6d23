import AsyncHTTPClient
package import LedgerModel
package import LedgerTransfer
import NIOCore
import NIOHTTP1

/// Posts JSON to web addresses, directly. Any 2xx takes it; nothing is followed or repeated here.
package struct WebhookPost: Sendable {
    /// How long it may take, in seconds.
    package static let secondsMax: Int64 = 30

    private let client: HTTPClient
    private let userAgent: String

    /// What posts by the settings of a ledger: the name it goes by, and the authorities it trusts.
    /// - Throws: `tls` when the file of authorities can not be read.
    package init(_ settings: TransferSettings) throws(Failure) {
        var configuration = HTTPClient.Configuration()
        // Whoever embeds this traces what it asked for; an address may hold a secret.
        configuration.tracing.tracer = nil
        // A redirect could lead anywhere.
        configuration.redirectConfiguration = .disallow
        if let authorities = settings.certificateAuthorityFile {
            configuration.tlsConfiguration = try TLSSetup.configuration(
                TransferRequest.Route(
                    silenceMillisecondsMax: settings.silenceMillisecondsMax, certificateAuthorityFile: authorities))
        }
        client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
        userAgent = settings.userAgent
    }

    /// Posts `json` under an idempotency key (draft-ietf-httpapi-idempotency-key-header).
    /// - Returns: nil when it was taken, else why not, in words without secrets.
    package func post(_ json: String, to address: ResourceURL.Parsed, key: String) async -> String? {
        let url = address.url
        var request = HTTPClientRequest(url: url.text)
        request.method = .POST
        request.headers.add(name: "content-type", value: "application/json")
        request.headers.add(name: "idempotency-key", value: "\"\(key)\"")
        request.headers.add(name: "user-agent", value: userAgent)
        if let credentials = address.credentials {
            request.headers.add(name: "authorization", value: Assignment.basic(credentials))
        }
        request.body = .bytes(ByteBuffer(string: json + "\n"))
        do {
            let response = try await client.execute(request, timeout: .seconds(Self.secondsMax))
            if (200..<300).contains(response.status.code) { return nil }
            return "\(url.redacted.text) answered \(response.status.code)"
        } catch {
            return "\(url.redacted.text) could not be reached: \(type(of: error))"
        }
    }

    /// Closes its connections; what is on its way fails.
    package func shutdown() async {
        do { try await client.shutdown() } catch {
            // Its connections are closing either way, and nobody waits for them.
            return
        }
    }
}
