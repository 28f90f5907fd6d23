import ArgumentParser
import LedgerAPI
import LedgerCoding
import LedgerModel
import LedgerViews
import SystemPackage

/// A line of JSON that asks for a download: the options of `add` under their long names in camel case, or a row as
/// `--json` prints it.
struct ImportedLine {
    private let members: [String: JSONValue]

    /// What a row says and no option takes: most of it is of a download that has been.
    private static let history: Set<String> = [
        "id", "state", "size", "received", "kind", "attempts", "error", "addedAt", "startedAt", "completedAt",
        "checkedAt", "retryAt", "rate", "resumedFrom", "streams", "joined", "undone", "file", "line", "usedAt",
        "pinned", "identifier", "published", "options", "expectLength", AskedOption.headerNames, AskedOption.leftOut,
    ]
    /// What a row names otherwise than the options do.
    private static let names = ["path": "output", "digest": "checksum", "tags": "tag", "mirrors": "mirror"]
    /// These may be given several times.
    private static let lists: [String: any WritableKeyPath<DownloadOptions, [String]> & Sendable] = [
        "checksum": \.checksum, "header": \.header, "mirror": \.mirror, "tag": \.labels.tag,
    ]
    /// These read more files: not from within one.
    private static let refused: Set<String> = ["inputFile", "metalink", "netrc", "help"]

    /// Reads a line.
    /// - Throws: a ``Problem`` when it is no object.
    init(parsing line: Substring) throws(Problem) {
        let text = line.drop { $0 == "\u{FEFF}" }
        var (value, cause) = (JSONValue.null, String?.none)
        do throws(JSONProblem) { value = try JSONValue(parsing: text.utf8) } catch { cause = error.description }
        guard case .object(let object) = value else {
            throw Problem(
                .usage, "it is no JSON object", cause: cause, next: "give an object a line, {\"url\": ...}",
                exitCode: .usage)
        }
        var members: [String: JSONValue] = [:]
        for member in object.members { members[member.name] = member.value }
        // What a row says was asked for; what stands beside it is said by hand.
        switch members["options"] {
        case .object(let options)?:
            for member in options.members where members[member.name] == nil { members[member.name] = member.value }
        case .null?, nil: break
        case .string?, .bool?, .int?, .uint?, .double?, .array?:
            throw Problem(
                .usage, "'options' is no object", next: "give it as {\"split\": 4}, or its members beside the URL",
                exitCode: .usage)
        }
        self.members = members
    }

    /// What a member says in one word or number; nil for what says nothing, or more.
    private func text(_ name: String) -> String? {
        let words = members[name]?.words ?? []
        return words.count == 1 ? words[0] : nil
    }

    private func isSilent(_ name: String) -> Bool { (members[name] ?? .null) == .null }

    /// The request that the line makes under the flags and settings of a command, and whether `.netrc` is looked into.
    func request(_ builder: RequestBuilder) throws(Problem) -> (request: EnqueueRequest, usesNetrc: Bool) {
        guard let url = text("url") else {
            throw Problem(
                .usage, "it names no URL, or several", next: "give one as \"url\", others as \"mirrors\"",
                exitCode: .usage)
        }
        let options = try options()
        if options.route.bearer?.hasPrefix("@") == true { throw Self.unknown("bearer\": \"@FILE") }
        var request = try builder.with(options).base()
        request.url = url
        let urls = [url] + request.mirrors + [request.checksumFile].compactMap(\.self)
        guard !urls.contains(where: Redaction.isIncomplete) else { throw .incompleteURL }
        if let unnamed {
            request.directory = unnamed.removingLastComponent().string
        } else if members["output"] == nil, let name = request.name, name == Self.plannedName(url) {
            // A row says where a file is to be, whoever named it: of two URLs with one name both are wanted.
            request.name = nil
        }
        request.identifier = text("identifier")
        if let text = text("published") {
            guard let published = Timestamp(rfc3339: text) else {
                throw Problem(
                    .usage, "'published' is no instant: '\(Redaction.redacted(text))'",
                    next: "give it as '2026-03-02T10:00:00Z'", exitCode: .usage)
            }
            request.published = published
        }
        if let text = text("expectLength") {
            guard let length = UInt64(text) else {
                throw Problem(
                    .usage, "'expectLength' is no number of bytes: '\(Redaction.redacted(text))'",
                    next: "give it as 1048576", exitCode: .usage)
            }
            request.expectedLength = length
        }
        request.isPaused = text("state") == "paused"
        // A row that waits, and not for another attempt or its hours, waits for its time.
        if request.window == nil, text("state") == "waiting", isSilent("error"),
            let text = text("retryAt"), let instant = Timestamp(rfc3339: text)
        {
            request.notBefore = request.notBefore ?? instant
        }
        return (request, !options.route.noNetrc)
    }

    /// Whether a row says that headers are sent, whose values no row holds.
    var lacksHeaders: Bool {
        guard case .array(let names)? = members[AskedOption.headerNames] else { return false }
        return !names.isEmpty && members["header"] == nil
    }

    /// Where the file of a row is to be which says that no name was asked for.
    private var unnamed: FilePath? {
        guard members["output"] == .null, let path = text("path"), path.hasPrefix("/"),
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
        var lists: [(WritableKeyPath<DownloadOptions, [String]>, [String])] = []
        for (name, value) in members.sorted(by: { $0.key < $1.key }) where name != "url" {
            guard !Self.history.contains(name), name != "path" || unnamed == nil else { continue }
            // What a file came to is what it had to be, where that was said.
            guard name != "digest" || isSilent("checksum") && members["checksumFile"] == nil else { continue }
            // Where the file is to be is what it was asked to be called, or numbered beside another.
            guard name != "output" || members["path"] == nil else { continue }
            guard !Self.refused.contains(name), !name.hasPrefix("-") else { throw Self.unknown(name) }
            let option = Self.names[name] ?? name
            let flag = "--" + Self.hyphenated(option)
            switch value {
            case .null, .bool(false): break
            case .bool(true): arguments.append(flag)
            case .string, .int, .uint, .double, .array, .object:
                let list = Self.lists[option]
                guard let words = value.words, list != nil || words.count <= 1 else {
                    throw Self.unfit(name, isList: list != nil)
                }
                // An empty word is none.
                let said = words.filter { !$0.isEmpty }
                if let list { lists.append((list, said)) } else { arguments += said.map { flag + "=" + $0 } }
            }
        }
        var options: DownloadOptions
        do { options = try DownloadOptions.parse(arguments) } catch {
            let words = Redaction.redacted(DownloadOptions.message(for: error))
            throw Problem(
                .usage, String(words.prefix { !$0.isNewline }), next: "'ledger add --help' lists the options",
                exitCode: .usage)
        }
        // Not as arguments: their parser takes the square of their number.
        for (list, words) in lists { options[keyPath: list] += words }
        return options
    }

    private static func unfit(_ name: String, isList: Bool) -> Problem {
        Problem(
            .usage,
            "'\(Problem.presentable(name))' is neither a text nor a number" + (isList ? ", nor a list of them" : ""),
            next: "give it as 'ledger add --help' says", exitCode: .usage)
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

extension JSONValue {
    /// One word: a text, or a number; nil for any other value.
    fileprivate var word: String? {
        switch self {
        case .string(let text): text
        case .int(let number): number.description
        case .uint(let number): number.description
        case .double(let number): Int64(exactly: number)?.description ?? number.description
        case .null, .bool, .array, .object: nil
        }
    }

    /// The words of a list, or the one; nil where anything else is among them.
    fileprivate var words: [String]? {
        guard case .array(let values) = self else { return word.map { [$0] } }
        let words = values.compactMap(\.word)
        return words.count == values.count ? words : nil
    }
}
