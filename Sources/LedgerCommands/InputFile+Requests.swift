import LedgerAPI
import LedgerModel
import LedgerViews

extension InputFile.Item {
    /// Turns the item into a request, and says what it could not take into account.
    ///
    /// - Parameters:
    ///   - base: what the flags ask for every download; the item's options come before it.
    ///   - directory: where relative paths start.
    /// - Returns: the options that are not known here, and were left out.
    /// - Throws: ``InputFile/SyntaxError`` for a value that can not be read.
    func apply(
        to request: inout EnqueueRequest, directory: String
    ) throws(InputFile.SyntaxError) -> [InputFile.Option] {
        request.url = urls[0]
        request.mirrors = Array(urls.dropFirst()) + request.mirrors
        var unknown: [InputFile.Option] = []
        var name: String?
        var password: String?
        var ranges: [UInt32] = []
        var proxies = InputFile.Proxies()
        // `out` may be relative to `dir`, and a key belongs to its certificate, wherever they stand.
        let first: Set<String> = ["dir", "certificate"]
        for option in options.filter({ first.contains($0.name) }) + options.filter({ !first.contains($0.name) }) {
            if proxies.take(option) { continue }
            switch option.name {
            case "http-user": name = option.value
            case "http-passwd": password = option.value
            // The smaller of the two, as aria2 does.
            case "split", "max-connection-per-server": ranges.append(try option.ranges())
            default:
                guard try option.apply(to: &request, directory: directory) else {
                    if !option.isHarmless { unknown.append(option) }
                    continue
                }
            }
        }
        request.rangesMax = ranges.min() ?? request.rangesMax
        if let name { request.credentials = name + ":" + (password ?? "") }
        request.proxy = proxies.proxy(isSecure: request.isSecure) ?? request.proxy
        return unknown
    }
}

extension [InputFile.Option] {
    /// A sentence for each name among options that were left out, with the lines they stand on: a list of a hundred
    /// thousand downloads may give each of them the same.
    var leftOut: [String] {
        var lines: [String: [Int]] = [:]
        var names: [String] = []
        for option in self {
            if lines[option.name] == nil { names.append(option.name) }
            lines[option.name, default: []].append(option.line)
        }
        return names.map { name in
            let all = lines[name, default: []]
            let shown = all.prefix(Self.linesShownMax).map(\.description).joined(separator: ", ")
            let rest = all.count - Self.linesShownMax
            return (all.count == 1 ? "line " : "lines ") + shown
                + (rest > 0 ? " and \(Figures.count(UInt64(rest))) more" : "") + ": the option '"
                + TextWidth.printable(name) + "' is not known here; left out"
        }
    }

    /// How many lines are named before the others are counted.
    private static var linesShownMax: Int { 3 }
}

extension InputFile.Option {
    /// Whether the option was known.
    fileprivate func apply(
        to request: inout EnqueueRequest, directory: String
    ) throws(InputFile.SyntaxError) -> Bool {
        switch name {
        case "out":
            let (folder, file) = Paths.split(value)
            request.name = file
            // Below `dir`, as aria2 reads it, also when it begins with a slash.
            if let folder = folder?.drop(while: { $0 == "/" }), !folder.isEmpty {
                request.directory = Paths.absolute(String(folder), from: request.directory)
            }
        case "dir": request.directory = Paths.absolute(value, from: directory)
        case "header":
            guard let header = EnqueueRequest.Header(parsing: value) else {
                // The value may be a secret, so it is not shown.
                throw InputFile.SyntaxError(line: line, reason: "a header is NAME: VALUE, and this one is not")
            }
            request.headers.append(header)
        case "referer":
            // `*` is the URL itself, without its user and password.
            request.headers.append(.init(name: "Referer", value: value == "*" ? try ownURL(request.url) : value))
        case "checksum": request.checksum = value
        case "user-agent": request.userAgent = value
        case "no-proxy": request.noProxy = value
        case "max-download-limit":
            guard let rate = ByteSize(parsing: value) else { throw bad("not a rate") }
            request.bytesPerSecondMax = rate.limit
        case "remote-time": request.keepsRemoteTime = value == "true"
        case "max-tries":
            guard let tries = UInt32(value) else { throw bad("not a number") }
            request.retriesMax = tries == 0 ? .max : tries - 1
        case "timeout":
            guard let silence = Silence(argument: value) else { throw bad("not a length of time") }
            request.silenceMillisecondsMax = silence.milliseconds
        case "pause": request.isPaused = try flag()
        case "conditional-get": request.ifModified = try flag()
        case "http-accept-gzip": request.decompresses = try flag()
        case "http-no-cache":
            guard try flag() else { return true }
            for name in ["Cache-Control", "Pragma"] { request.headers.append(.init(name: name, value: "no-cache")) }
        case "allow-overwrite", "auto-file-renaming": try settleCollision(of: &request)
        case "gid": identify(&request)
        case "check-certificate": request.isInsecure = try !flag()
        case "ca-certificate": request.certificateAuthorityFile = Paths.absolute(value, from: directory)
        case "certificate":
            // A key belongs to the certificate beside it: the one of the configuration does not.
            request.clientCertificateFile = Paths.absolute(value, from: directory)
            request.clientKeyFile = nil
        case "private-key": request.clientKeyFile = Paths.absolute(value, from: directory)
        case "load-cookies": request.cookieFile = Paths.absolute(value, from: directory)
        case "bearer": request.bearer = value
        case "group": request.group = value
        case "title": request.title = value
        case "details": request.details = value
        case "tag": request.tags.append(value)
        case "mirror": request.mirrors.append(value)
        case "priority":
            guard let priority = Int32(value) else { throw bad("not a number") }
            request.priority = priority
        default: return false
        }
        return true
    }

    /// What is done about a file that is there: of the two options that say so, the one that overwrites it counts.
    private func settleCollision(of request: inout EnqueueRequest) throws(InputFile.SyntaxError) {
        switch (name, try flag()) {
        case ("allow-overwrite", true): request.collision = .overwrite
        case ("allow-overwrite", false) where request.collision != .refuse: request.collision = .number
        case ("auto-file-renaming", false) where request.collision != .overwrite: request.collision = .refuse
        default: break
        }
    }

    /// Records the name that its owner knows it by where `aria2.addUri` does; what is no GID is passed over.
    private func identify(_ request: inout EnqueueRequest) {
        guard value.utf8.count == 16, let number = UInt64(value, radix: 16), number != 0 else { return }
        request.identifier = value.lowercased()
    }

    /// The number of ranges it allows, of those that are served here.
    fileprivate func ranges() throws(InputFile.SyntaxError) -> UInt32 {
        guard let ranges = UInt32(value), ranges > 0 else { throw bad("not a number of ranges") }
        return min(ranges, TransferOptions.rangesMax)
    }

    private func ownURL(_ text: String) throws(InputFile.SyntaxError) -> String {
        do throws(URLProblem) { return try ResourceURL.parse(text).url.text } catch { throw bad(error.reason) }
    }

    private func flag() throws(InputFile.SyntaxError) -> Bool {
        switch value {
        case "true": return true
        case "false": return false
        default: throw bad("neither true nor false")
        }
    }

    private func bad(_ reason: String) -> InputFile.SyntaxError {
        InputFile.SyntaxError(line: line, reason: "'\(name)=\(value)' is \(reason)")
    }
}
