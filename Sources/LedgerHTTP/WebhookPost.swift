import AsyncHTTPClient
package import LedgerModel
import NIOCore
import NIOHTTP1

/// Posts JSON to a web address. Any 2xx takes it; nothing is followed or repeated here.
package enum WebhookPost {
    /// How long it may take, in seconds.
    package static let secondsMax: Int64 = 30

    /// Posts `json` under an idempotency key (draft-ietf-httpapi-idempotency-key-header).
    /// - Returns: nil when it was taken, else why not, in words without secrets.
    package static func post(_ json: String, to url: ResourceURL, key: String) async -> String? {
        var request = HTTPClientRequest(url: url.text)
        request.method = .POST
        request.headers.add(name: "content-type", value: "application/json")
        request.headers.add(name: "idempotency-key", value: "\"\(key)\"")
        request.headers.add(name: "user-agent", value: "ledger")
        request.body = .bytes(ByteBuffer(string: json + "\n"))
        do {
            let response = try await client.execute(request, timeout: .seconds(secondsMax))
            if (200..<300).contains(response.status.code) { return nil }
            return "\(url.redacted.text) answered \(response.status.code)"
        } catch {
            return "\(url.redacted.text) could not be reached: \(type(of: error))"
        }
    }

    /// One for the whole program, which never ends before it; it follows no redirect, which could lead anywhere.
    private static let client: HTTPClient = {
        var configuration = HTTPClient.Configuration()
        configuration.redirectConfiguration = .disallow
        return HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }()
}
