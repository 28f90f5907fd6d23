package import LedgerModel

/// Something that was asked for about the way of a download: an option of `add` under its long name in camel case, as
/// the API and `import` take it, with a value that they take.
package struct AskedOption: Hashable, Sendable, Codable {
    /// What was asked for.
    package enum Value: Hashable, Sendable, Codable {
        case flag
        case number(UInt64)
        case text(String)
        case texts([String])
    }

    /// The option.
    package var name: String
    /// What was asked for.
    package var value: Value

    /// An option with a value.
    package init(name: String, value: Value) {
        self.name = name
        self.value = value
    }

    /// The most bytes that the texts of a row's options take together: lists show them whole.
    package static let textBytesMax = 32 << 10
    /// The name under which the names of those stand that do not fit.
    package static let leftOut = "leftOut"
    /// The name under which the names of the headers stand that are sent; their values are secret.
    package static let headerNames = "headerNames"

    fileprivate var textBytes: Int {
        switch value {
        case .flag, .number: 0
        case .text(let text): text.utf8.count
        case .texts(let texts): texts.reduce(0) { $0 + $1.utf8.count }
        }
    }
}

extension Order {
    /// What was asked for besides the URL, the file's name, the labels, the digest and ``DownloadRow/insecure``, in the
    /// order of `add --help`. Options whose texts would take more than ``AskedOption/textBytesMax`` with those before
    /// them are only named, under ``AskedOption/leftOut``.
    package var asked: [AskedOption] {
        if options === TransferOptions.standard, destination.collision == .number { return [] }
        var (bytes, kept, leftOut) = (0, [AskedOption](), [String]())
        for option in allAsked {
            guard bytes + option.textBytes <= AskedOption.textBytesMax else {
                leftOut.append(option.name)
                continue
            }
            bytes += option.textBytes
            kept.append(option)
        }
        if !leftOut.isEmpty { kept.append(AskedOption(name: AskedOption.leftOut, value: .texts(leftOut))) }
        return kept
    }

    private var allAsked: [AskedOption] {
        let options = options.value
        var asked: [AskedOption] = []
        func add(_ name: String, _ value: AskedOption.Value?) {
            if let value { asked.append(AskedOption(name: name, value: value)) }
        }
        func add(_ name: String, texts: [String]) { add(name, texts.isEmpty ? nil : .texts(texts)) }
        add("mirror", texts: options.mirrors.map(\.text))
        add(AskedOption.headerNames, texts: options.headerNames)
        add("limitRate", options.bytesPerSecondMax.map { .number($0) })
        add("retries", options.retriesMax.map { .number(UInt64($0)) })
        add("split", options.rangesMax.map { .number(UInt64($0)) })
        add("timeout", options.silenceMillisecondsMax.map { .text("\($0)ms") })
        add("notBefore", options.notBefore.map { .text($0.rfc3339) })
        add("window", options.window.map { .text($0.description) })
        add("remoteTime", options.keepsRemoteTime ? .flag : nil)
        add("overwrite", destination.collision == .overwrite ? .flag : nil)
        add("skip", destination.collision == .skip ? .flag : nil)
        add("checksumFile", options.checksumFile.map { .text($0.text) })
        add("expectType", options.expectedType.map { .text($0) })
        add("expectLength", options.expectedLength.map { .number($0) })
        add("decompress", options.decompresses ? .flag : nil)
        add("proxy", options.proxy.map { .text($0) })
        add("noProxy", options.noProxy.map { .text($0) })
        add("cookies", options.cookieFile.map { .text($0) })
        add("cert", options.clientCertificateFile.map { .text($0) })
        add("key", options.clientKeyFile.map { .text($0) })
        add("cacert", options.certificateAuthorityFile.map { .text($0) })
        add("http2", options.prefersHTTP2 ? .flag : nil)
        add("userAgent", options.userAgent.map { .text($0) })
        add("forwardHeaders", options.forwardsHeaders ? .flag : nil)
        add("allowDowngrade", options.allowsDowngrade ? .flag : nil)
        add("resumeUnvalidated", options.resumesUnvalidated ? .flag : nil)
        return asked
    }
}
