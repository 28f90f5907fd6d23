import LedgerAPI
import LedgerModel

extension OptionValues {
    /// Asks a request for what the options say. Where the file goes is for who confines it.
    /// - Throws: the fault that names an option whose value can not be had.
    func apply(to request: inout EnqueueRequest) throws(Fault) {
        limit(&request)
        try identify(&request)
        request.keepsRemoteTime = flag("remote-time")
        request.isInsecure = self["check-certificate"] == "false"
        request.decompresses = flag("http-accept-gzip")
        request.isPaused = flag("pause")
        if flag("allow-overwrite") {
            request.collision = .overwrite
        } else if self["auto-file-renaming"] == "false" {
            request.collision = .refuse
        }
        if let checksum = self["checksum"] {
            // aria2 writes `sha-1=...`; sums of other kinds could not be checked, and are not promised.
            guard Digest(parsing: checksum) != nil, checksum.contains("=") else { throw .option("checksum") }
            request.checksum = checksum
        }
        try route(&request)
    }

    private func limit(_ request: inout EnqueueRequest) {
        request.bytesPerSecondMax = number("max-download-limit")
        request.retriesMax = retriesMax
        request.silenceMillisecondsMax = silenceMillisecondsMax
        request.rangesMax = rangesMax
    }

    /// How often it is tried again: `max-tries` counts the first time too, and 0 is without end.
    var retriesMax: UInt32? {
        number("max-tries").map { $0 == 0 ? .max : UInt32(clamping: $0 - 1) }
    }

    var silenceMillisecondsMax: UInt32? { number("timeout").map { UInt32(clamping: $0 * 1000) } }

    /// Ranges at once: no more than `split`, and no more than the server is to see; nil when neither was said.
    var rangesMax: UInt32? {
        [number("split"), number("max-connection-per-server")].compactMap(\.self).min()
            .map { UInt32(clamping: $0) }.map { max(1, min($0, TransferOptions.rangesMax)) }
    }

    /// Who asks, and with which words.
    private func identify(_ request: inout EnqueueRequest) throws(Fault) {
        if let userAgent = self["user-agent"] {
            guard EnqueueRequest.Header(name: "User-Agent", value: userAgent).isValid else {
                throw .option("user-agent")
            }
            request.userAgent = userAgent
        }
        request.headers = try self["header"].map(Headers.parse) ?? []
        if let referer = self["referer"], !referer.isEmpty {
            // `*` is the URL itself, without user and password.
            var own = request.url
            do throws(URLProblem) { own = try ResourceURL.parse(request.url).url.text } catch { throw .noSource }
            let header = EnqueueRequest.Header(name: "Referer", value: referer == "*" ? own : referer)
            guard header.isValid else { throw .option("referer") }
            request.headers.append(header)
        }
        if flag("http-no-cache") {
            for name in ["Cache-Control", "Pragma"] { request.headers.append(.init(name: name, value: "no-cache")) }
        }
        if let user = self["http-user"], !user.isEmpty {
            let credentials = user + ":" + (self["http-passwd"] ?? "")
            guard credentials.unicodeScalars.allSatisfy({ $0.value >= 32 && $0.value != 127 }), !user.contains(":")
            else { throw .option("http-user") }
            request.credentials = credentials
        }
    }

    /// Which proxy is gone through: the scheme's own before that of all.
    private func route(_ request: inout EnqueueRequest) throws(Fault) {
        request.noProxy = self["no-proxy"]
        let kinds = [request.isSecure ? "https-proxy" : "http-proxy", "all-proxy"]
        guard let kind = kinds.first(where: { self[$0] != nil }), let text = self[kind], !text.isEmpty else { return }
        do throws(URLProblem) {
            var proxy = try Proxy.parse(text)
            if let user = self[kind + "-user"] { proxy.credentials = user + ":" + (self[kind + "-passwd"] ?? "") }
            request.proxy = proxy.whole
        } catch { throw .option(kind) }
    }
}
