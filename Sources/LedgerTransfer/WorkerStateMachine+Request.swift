import HTTPTypes
import LedgerModel

extension WorkerStateMachine {
    /// The request for what is asked, to where it is asked now.
    func request() -> TransferRequest {
        let options = assignment.order.options.value
        var fields = HTTPFields()
        fields[.userAgent] = options.userAgent ?? settings.userAgent
        fields[.accept] = "*/*"
        // The bytes as they are: a compressed copy has other bytes, other ranges and another length.
        fields[.acceptEncoding] = "identity"
        if let range = asked.rangeField {
            fields[.range] = range
            if let validator = held?.origin.validator { fields[.ifRange] = validator.headerValue }
        }
        if let credentials { fields[.authorization] = "Basic " + base64(Array(credentials.utf8)) }
        if carriesHeaders {
            var replaced: Set<HTTPField.Name> = []
            for header in assignment.headers {
                // Framing, ranges and the connection are ours; a user's word there would break what we check.
                guard let name = HTTPField.Name(header.name), !Self.reserved.contains(name) else { continue }
                if replaced.insert(name).inserted { fields[name] = nil }
                fields.append(HTTPField(name: name, value: header.value))
            }
        }
        let route = TransferRequest.Route(
            silenceMillisecondsMax: options.silenceMillisecondsMax ?? settings.silenceMillisecondsMax,
            proxy: assignment.proxy,
            certificateAuthorityFile: options.certificateAuthorityFile ?? settings.certificateAuthorityFile,
            isInsecure: options.isInsecure)
        return TransferRequest(url: url, fields: fields, route: route)
    }

    private static let reserved: Set<HTTPField.Name> = [
        .range, .ifRange, .acceptEncoding, .contentLength, .transferEncoding, .connection, .te, .trailer, .upgrade,
    ]

    /// Follows a redirect, or says why not.
    mutating func redirected(to location: String?, status: Int) -> Action {
        guard let location else {
            return failed(
                Failure(.redirect, "the origin redirects (\(status)) without saying where to", isRetryable: false))
        }
        let target: ResourceURL
        do throws(URLProblem) {
            target = try url.resolving(location).url
        } catch {
            return failed(
                Failure(
                    .redirect, "the origin redirects to what can not be fetched: \(error.reason)", isRetryable: false))
        }
        visited.append(url)
        if visited.contains(target) {
            return failed(
                Failure(.redirect, "the origin redirects in a circle at '\(target.redacted)'", isRetryable: false))
        }
        guard visited.count <= settings.redirectsMax else {
            return failed(
                Failure(.redirect, "more than \(settings.redirectsMax) redirects in a row", isRetryable: false))
        }
        let options = assignment.order.options.value
        guard target.isSecure || !url.isSecure || options.allowsDowngrade else {
            return failed(
                Failure(
                    .redirect, "the origin redirects from https to http ('\(target.redacted)'), which is refused",
                    isRetryable: false))
        }
        // Once dropped, secrets stay dropped: a redirect back does not prove where it came from.
        if target.origin != entry.url.origin, !options.forwardsHeaders {
            carriesHeaders = false
            credentials = nil
        }
        url = target
        return .request(request())
    }
}
