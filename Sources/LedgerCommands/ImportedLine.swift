import ArgumentParser
import FoundationEssentials
import LedgerAPI
import LedgerModel
import LedgerViews
import SystemPackage

/// A line of JSON that asks for a download: the options of `add` under their long names in camel case, or a row as
/// `--json` prints it.
struct ImportedLine {
    private let members: [String: Value]

    /// What a member holds, as far as an option can take it.
    private enum Value: Decodable {
        case text(String)
        case flag(Bool)
        case list([Value])
        case members([String: Value])
        case nothing

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            func held<Held: Decodable>(_ type: Held.Type) -> Held? {
                do { return try container.decode(type) } catch { return nil }
            }
            if let flag = held(Bool.self) {
                self = .flag(flag)
            } else if let text = held(String.self) ?? held(Int64.self)?.description ?? held(UInt64.self)?.description
                ?? held(Double.self)?.description
            {
                self = .text(text)
            } else if let list = held([Value].self) {
                self = .list(list)
            } else if let members = held([String: Value].self) {
                self = .members(members)
            } else {
                self = .nothing
            }
        }

        var isNothing: Bool {
            if case .nothing = self { true } else { false }
        }

        var texts: [String] {
            switch self {
            case .text(let text): [text]
            case .list(let values): values.flatMap(\.texts)
            case .flag, .members, .nothing: []
            }
        }
    }

    /// What a row says and no option takes: most of it is of a download that has been.
    private static let history: Set<String> = [
        "id", "state", "size", "received", "kind", "attempts", "error", "addedAt", "startedAt", "completedAt",
        "checkedAt", "retryAt", "rate", "resumedFrom", "streams", "joined", "undone", "file", "line", "usedAt",
        "pinned", "identifier", "published", "options", "expectLength", AskedOption.headerNames, AskedOption.leftOut,
    ]
    /// What a row names otherwise than the options do.
    private static let names = ["path": "output", "digest": "checksum", "tags": "tag", "mirrors": "mirror"]
    /// These read more files: not from within one.
    private static let refused: Set<String> = ["inputFile", "metalink", "netrc", "help"]

    /// Reads a line.
    /// - Throws: a ``Problem`` when it is no object.
    init(parsing line: Substring) throws(Problem) {
        let text = line.drop { $0 == "\u{FEFF}" }
        var members: [String: Value]
        do { members = try JSONDecoder().decode([String: Value].self, from: Data(text.utf8)) } catch {
            throw Problem(
                .usage, "it is no JSON object", next: "give an object a line, {\"url\": ...}", exitCode: .usage)
        }
        // What a row says was asked for; what stands beside it is said by hand.
        switch members["options"] {
        case .members(let options)?: members.merge(options) { byHand, _ in byHand }
        case .nothing?, nil: break
        case .text?, .flag?, .list?:
            throw Problem(
                .usage, "'options' is no object", next: "give it as {\"split\": 4}, or its members beside the URL",
                exitCode: .usage)
        }
        self.members = members
    }

    /// The request that the line makes under the flags and settings of a command, and whether `.netrc` is looked into.
    func request(_ builder: RequestBuilder) throws(Problem) -> (request: EnqueueRequest, usesNetrc: Bool) {
        guard let url = members["url"]?.texts.first else {
            throw Problem(.usage, "it names no URL", next: "give it as \"url\"", exitCode: .usage)
        }
        let options = try options()
        if options.route.bearer?.hasPrefix("@") == true { throw Self.unknown("bearer\": \"@FILE") }
        var request = try builder.with(options).base()
        request.url = url
        let urls = [url] + request.mirrors + [request.checksumFile].compactMap(\.self)
        guard !urls.contains(where: Redaction.isIncomplete) else {
            throw Problem(
                .usage, "a URL in it was written down without its secrets",
                next: "write what belongs there instead of '\(Redaction.word)'", exitCode: .usage)
        }
        if let unnamed {
            request.directory = unnamed.removingLastComponent().string
        } else if members["output"] == nil, let name = request.name, name == Self.plannedName(url) {
            // A row says where a file is to be, whoever named it: of two URLs with one name both are wanted.
            request.name = nil
        }
        request.identifier = members["identifier"]?.texts.first
        if let text = members["published"]?.texts.first {
            guard let published = Timestamp(rfc3339: text) else {
                throw Problem(
                    .usage, "'published' is no instant: '\(Redaction.redacted(text))'",
                    next: "give it as '2026-03-02T10:00:00Z'", exitCode: .usage)
            }
            request.published = published
        }
        if let text = members["expectLength"]?.texts.first {
            guard let length = UInt64(text) else {
                throw Problem(
                    .usage, "'expectLength' is no number of bytes: '\(Redaction.redacted(text))'",
                    next: "give it as 1048576", exitCode: .usage)
            }
            request.expectedLength = length
        }
        request.isPaused = members["state"]?.texts == ["paused"]
        // A row that waits, and not for another attempt or its hours, waits for its time.
        if request.window == nil, members["state"]?.texts == ["waiting"], members["error"]?.isNothing ?? true,
            let text = members["retryAt"]?.texts.first, let instant = Timestamp(rfc3339: text)
        {
            request.notBefore = request.notBefore ?? instant
        }
        return (request, !options.route.noNetrc)
    }

    /// Whether a row says that headers are sent, whose values no row holds.
    var lacksHeaders: Bool {
        members[AskedOption.headerNames].map { !$0.texts.isEmpty } ?? false && members["header"] == nil
    }

    /// Where the file of a row is to be which says that no name was asked for.
    private var unnamed: FilePath? {
        guard members["output"]?.isNothing ?? false, let path = members["path"]?.texts.first, path.hasPrefix("/"),
            !path.hasSuffix("/")
        else { return nil }
        return FilePath(path)
    }

    /// The name that a URL gives its file; nil for what is no URL, which is told when it becomes an order.
    private static func plannedName(_ url: String) -> String? {
        do throws(URLProblem) { return try ResourceURL.parse(url).url.plannedName } catch { return nil }
    }

    private func options() throws(Problem) -> DownloadOptions {
        var arguments: [String] = []
        for (name, value) in members.sorted(by: { $0.key < $1.key }) where name != "url" {
            guard !Self.history.contains(name), name != "path" || unnamed == nil else { continue }
            // What a file came to is what it had to be, where that was said.
            guard name != "digest" || members["checksum"]?.isNothing ?? true && members["checksumFile"] == nil else {
                continue
            }
            // Where the file is to be is what it was asked to be called, or numbered beside another.
            guard name != "output" || members["path"] == nil else { continue }
            guard !Self.refused.contains(name), !name.hasPrefix("-") else { throw Self.unknown(name) }
            let flag = "--" + Self.hyphenated(Self.names[name] ?? name)
            if case .flag(true) = value { arguments.append(flag) }
            // An empty word is none.
            arguments += value.texts.filter { !$0.isEmpty }.map { flag + "=" + $0 }
        }
        do { return try DownloadOptions.parse(arguments) } catch {
            let words = Redaction.redacted(DownloadOptions.message(for: error))
            throw Problem(
                .usage, String(words.prefix { !$0.isNewline }), next: "'ledger add --help' lists the options",
                exitCode: .usage)
        }
    }

    /// `userAgent` is `user-agent`.
    private static func hyphenated(_ name: String) -> String {
        name.reduce(into: "") { $0 += $1.isUppercase ? "-" + $1.lowercased() : String($1) }
    }

    private static func unknown(_ name: String) -> Problem {
        Problem(
            .usage, "'\(name)' can not stand in a line", next: "'ledger add --help' lists the options",
            exitCode: .usage)
    }
}
