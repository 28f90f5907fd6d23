package import LedgerModel

/// What is wrong with a request to download something; nothing was recorded.
package enum RequestProblem: Error, Hashable, Sendable {
    case url(String, URLProblem)
    case destination(DestinationProblem)
    /// The name of a header that can not be sent; empty when it has none.
    case header(String)
    case checksum(String)
    case credentials
    case proxy(String)
    case bearer
    /// A file that is not named from the root on.
    case file(String)
    case window(String)
    case mediaType(String)
    case pieces
    case command(String)
    case labels(LabelsProblem)
    /// One URL for several downloads.
    case oneURL(downloads: Int)
    /// A host inside a private network, asked for by who may not reach one.
    case privateAddress(String)
    /// A proxy named by who may not reach a private network.
    case foreignProxy
}

/// What is too long of the words about a download, which every list shows.
package enum LabelsProblem: Error, Hashable, Sendable {
    /// Group, title, details, tags and identifier together.
    case texts(bytes: Int)
    /// The name of the group.
    case group(bytes: Int)
}

extension Problem {
    /// A URL that was written down without its secrets, as rows show it: what is to be asked for can not be told.
    package static let incompleteURL = Problem(
        .badURL, "a URL in it was written down without its secrets",
        next: "write what belongs there instead of '\(Redaction.word)'", exitCode: .usage)

    private init(_ problem: LabelsProblem) {
        switch problem {
        case .texts(let bytes):
            self.init(
                .usage, "the words about the download are too long: \(bytes) bytes",
                cause: "group, title, details, tags and identifier have \(Labels.textBytesMax) at most together",
                next: "put long texts into a file beside it", exitCode: .usage)
        case .group(let bytes):
            self.init(
                .usage, "the name of the group is too long: \(bytes) bytes",
                cause: "\(GroupLimits.nameBytesMax) are the most", exitCode: .usage)
        }
    }

    /// What is wrong with a request, in words.
    package init(_ problem: RequestProblem) {
        switch problem {
        case .url(let text, let problem):
            self.init(text, problem)
        case .destination(let problem):
            self.init(problem)
        case .header(let name):
            self.init(
                .usage, name.isEmpty ? "a header has no name before a colon" : "'\(name)' is not the start of a header",
                cause: "a header is NAME: VALUE, without line breaks", next: "for example -H 'Accept: text/plain'",
                exitCode: .usage)
        case .checksum(let text):
            self.init(
                .usage, "'\(text)' is not a checksum",
                cause: "a checksum is ALGORITHM=HEX, all its digits, with md5, sha-1, sha-256 or sha-512",
                next: "for example --checksum sha-256=$(sha256sum < FILE | cut -d' ' -f1)", exitCode: .usage)
        case .credentials:
            self.init(
                .usage, "the credentials have no name before their colon, or hold a line break",
                next: "for example --user 'ada:secret', or http://ada:secret@host/ with '/', '?', '#' and '@' as %XX",
                exitCode: .usage)
        case .proxy(let text):
            self.init(
                .usage, "'\(Problem.presentable(text))' is not a proxy", cause: EnqueueRequest.proxyForm,
                next: "for example --proxy http://127.0.0.1:3128", exitCode: .usage)
        case .bearer:
            self.init(
                .usage, "the bearer token can not be sent",
                cause: "it is empty, holds a line break, or there are a user and a password beside it",
                next: "give either '--bearer TOKEN' or '--user NAME:PASSWORD'", exitCode: .usage)
        case .file(let text):
            self.init(
                .usage, "the file '\(text)' is not an absolute path",
                next: "give it from the root on, for example /etc/ssl/certs/ca-certificates.crt", exitCode: .usage)
        case .window(let text):
            self.init(
                .usage, "'\(text)' is not a part of the day", cause: "a window is HH:MM-HH:MM, and not empty",
                next: "for example --window 22:00-06:00", exitCode: .usage)
        case .mediaType(let text):
            self.init(
                .usage, "'\(text)' is not a media type", next: "for example --expect-type application/zip",
                exitCode: .usage)
        case .pieces:
            self.init(
                .usage, "the hashes of the pieces can not be read",
                cause: "they are whole sums by md5, sha-1, sha-256 or sha-512, at most \(PieceHashes.bytesMax) bytes",
                exitCode: .usage)
        case .labels(let problem):
            self.init(problem)
        case .privateAddress(let host):
            self.init(
                .badURL,
                "'\(Problem.presentable(host))' is inside a private network, where clients of the API may not go",
                cause: "they could have this machine ask what only it can reach",
                next: "'ledger run --allow-private' lets clients of the API reach it; 'ledger add' always may",
                exitCode: .usage)
        case .foreignProxy:
            self.init(
                .usage, "clients of the API may not name a proxy", cause: "it could reach a private network for them",
                next: "name it in the configuration ('proxy: ...'); 'ledger run --allow-private' lets clients name any",
                exitCode: .usage)
        case .oneURL(let downloads):
            self.init(
                .usage, "one URL can not be given to \(downloads) downloads", next: "change each", exitCode: .usage)
        case .command(let text):
            self.init(
                .usage, "'\(text)' does not name a command", cause: "a name is 32 hexadecimal digits",
                exitCode: .usage)
        }
    }

    /// What is wrong with `text` as a URL, in words.
    package init(_ text: String, _ problem: URLProblem) {
        let shown = "'\(Problem.presentable(text))'"
        let example = "for example https://example.org/file.iso"
        switch problem {
        case .empty:
            self.init(.badURL, "the URL is empty", next: example, exitCode: .usage)
        case .tooLong(let bytes):
            self.init(
                .badURL, "the URL is too long: \(bytes) bytes, and \(ResourceURL.bytesMax) are the most",
                exitCode: .usage)
        case .controlCharacter:
            self.init(
                .badURL, "the URL holds a control character", next: "look for a line break or a tab inside it",
                exitCode: .usage)
        case .noScheme:
            self.init(
                .badURL, "\(shown) does not start with http:// or https://",
                next: "\(example); '-i FILE' reads a list of URLs, '--metalink FILE' a Metalink", exitCode: .usage)
        case .unsupportedScheme(let scheme):
            self.init(
                .badURL, "\(shown) can not be fetched: '\(scheme)' is not spoken here",
                next: "look for the same file under http:// or https://", exitCode: .usage)
        case .noHost:
            self.init(.badURL, "\(shown) names no host", next: example, exitCode: .usage)
        case .badHost(let host):
            let isForeign = !host.utf8.allSatisfy { $0 < 128 }
            self.init(
                .badURL, "\(shown) names a host that can not be\(Problem.named(host, in: text))",
                cause: isForeign ? "a host is written in ASCII here" : nil,
                next: isForeign ? "write it as DNS does, for example xn--mnchen-3ya.de for münchen.de" : example,
                exitCode: .usage)
        case .badPort(let port):
            self.init(
                .badURL, "\(shown) names a port that can not be\(Problem.named(port, in: text))",
                cause: "ports are 1 to 65535",
                next: example, exitCode: .usage)
        }
    }

    /// What is wrong with a place for a file, in words.
    package init(_ problem: DestinationProblem) {
        switch problem {
        case .notAbsolute(let directory):
            self.init(
                .badDestination, "the directory '\(directory)' is not absolute",
                next: "give it from the root on, for example /home/ada/Downloads", exitCode: .usage)
        case .badName(let name):
            self.init(
                .badDestination, "'\(name)' is not a file name",
                cause: "a name is one component, without '/' and other than '.' and '..'",
                next: "put the directory into -d and the name into -o", exitCode: .usage)
        case .nameTooLong(let bytes):
            self.init(
                .badDestination, "the file name is too long: \(bytes) bytes, and 255 are the most",
                next: "give a shorter one with -o", exitCode: .usage)
        case .nested(let one, let other):
            self.init(
                .badDestination, "of '\(one)' and '\(other)' one lies in the other",
                next: "give another place that lies in neither first, then the one that is meant", exitCode: .usage)
        }
    }

    /// A text that did not parse, without what may be a secret in it: everything up to an `@`, the query and the
    /// fragment are left out, and a long rest is cut.
    ///
    /// It is not read as a URL is: a password with a `/`, `?` or `#` in it may be why it did not parse.
    package static func presentable(_ text: String) -> String {
        let tail = text.firstIndex { $0 == "?" || $0 == "#" } ?? text.endIndex
        var shown = String(text[..<tail])
        if tail < text.endIndex { shown += String(text[tail]) + "…" }
        if let at = text.lastIndex(of: "@") {
            let scheme = text.firstRange(of: "://").map { text[..<$0.upperBound] } ?? ""
            shown = scheme + "…" + (at < tail ? String(shown[at...]) : "")
        }
        // A path may have parameters, and these secrets.
        if let parameters = shown.firstIndex(of: ";") {
            shown = shown[..<parameters] + Redaction.redacted(String(shown[parameters...]))
        }
        return shown.count > 200 ? String(shown.prefix(200)) + "…" : shown
    }

    /// What a text that did not parse has where it should not; nothing where that may be half of a password.
    private static func named(_ part: String, in text: String) -> String {
        text.contains("@") ? "" : ": '\(presentable(part))'"
    }
}
