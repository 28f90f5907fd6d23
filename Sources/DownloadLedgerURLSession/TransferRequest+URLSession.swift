import Foundation
import HTTPTypes
import LedgerModel
import LedgerTransfer

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension URLRequest {
    /// A request as URLSession takes it.
    /// - Throws: `unsupported` for what it can not be told for a single request.
    init(_ request: TransferRequest) throws(Failure) {
        let route = request.route
        let refused: [(isWanted: Bool, what: String)] = [
            (route.proxy != nil, "a proxy"),
            (route.certificateAuthorityFile != nil, "an authority of its own"),
            (route.clientCertificate != nil, "a client certificate"),
            (route.isInsecure, "an unchecked certificate"),
            (route.refusesPrivateAddresses, "the refusal of private addresses"),
        ]
        if let wanted = refused.first(where: \.isWanted) {
            throw Failure(
                .unsupported,
                "\(wanted.what) can not be had for one request through URLSession: use the ledger's own client",
                isRetryable: false)
        }
        guard let url = URL(string: request.url.text) else {
            throw Failure(
                .unsupported, "'\(request.url.redacted)' is no URL to Foundation", isRetryable: false)
        }
        self.init(url: url, cachePolicy: .reloadIgnoringLocalAndRemoteCacheData)
        // Whole seconds are all that it counts on Linux.
        timeoutInterval = max(1, (Double(route.silenceMillisecondsMax) / 1000).rounded(.up))
        httpMethod = request.method.rawValue
        httpShouldHandleCookies = false
        for (name, value) in request.pairs { addValue(value, forHTTPHeaderField: name) }
    }
}

extension TransferResponse {
    /// A head as URLSession shows it, fields of one name joined by commas.
    init(_ response: HTTPURLResponse) {
        var pairs: [(name: String, value: String)] = []
        for (name, value) in response.allHeaderFields {
            guard let name = name as? String, let value = value as? String else { continue }
            pairs.append((name, value))
        }
        let status = response.statusCode
        let length = response.value(forHTTPHeaderField: "Content-Length").flatMap { UInt64($0) }
        let framing: BodyFraming
        if status < 200 || status == 204 || status == 304 {
            framing = .length(0)
        } else if response.value(forHTTPHeaderField: "Transfer-Encoding") != nil {
            framing = .chunked
        } else {
            framing = length.map(BodyFraming.length) ?? .close
        }
        self.init(status: status, pairs: pairs, framing: framing)
    }
}
