import Configuration
import LedgerAPI
import LedgerModel
import LedgerTransfer
import LedgerViews
import Synchronization
import SystemPackage

/// What the configuration says: `LEDGER_*` in the environment over `config.yaml` in the home. Flags go over both.
struct Settings: Hashable, Sendable {
    /// `dir`: where files go.
    var directory: String?
    /// `jobs`: downloads at once.
    var jobs: Int?
    /// `perHost`: downloads at once from one host.
    var perHost: Int?
    /// `maxRate`: of all downloads together.
    var maxRate: ByteSize?
    /// `limitRate`: of one download.
    var limitRate: ByteSize?
    /// `retries`: of one download.
    var retries: UInt32?
    /// `timeout`: the longest silence.
    var timeout: Silence?
    /// `window`: the hours of the day in which any download may run.
    var window: DailyHours?
    /// `queueMax`: downloads in the queue.
    var queueMax: Int?
    /// `queuePolicy`: what happens to one more.
    var queuePolicy: QueuePolicy?
    /// `retryWait`: the most that the first retry waits.
    var retryWait: Silence?
    /// `retryFactor`: how much longer each later one may wait.
    var retryFactor: GrowthFactor?
    /// `retryCap`: the most that any retry waits.
    var retryCap: Silence?
    /// `retryAfterCap`: the longest `Retry-After` that is heeded.
    var retryAfterCap: Silence?
    /// `redirectsMax`: how many redirects in a row are followed.
    var redirectsMax: Int?
    /// `userAgent`.
    var userAgent: String?
    /// `proxy`.
    var proxy: String?
    /// `noProxy`.
    var noProxy: String?
    /// `cacert`.
    var cacert: String?
    /// `cert`: a certificate of ours.
    var cert: String?
    /// `key`: its private key.
    var key: String?
    /// `cookies`: a file of them.
    var cookies: String?

    /// `compactAt`: how long the log is at least before `run` compacts it; 0 for never.
    var compactAt: ByteSize?
    /// `trashSizeMax`: the bytes of deleted files that `undo` can bring back; 0 keeps none.
    var trashSizeMax: ByteSize?
    /// `trashDaysMax`: how long such a file is kept, in days; 0 keeps none.
    var trashDaysMax: UInt32?

    /// How much of `config.yaml` is looked at to find out whether it holds anything, in bytes.
    static let fileBytesMax = 1 << 20

    /// Nothing is configured.
    init() {}

    /// Reads what is configured.
    /// - Parameter file: `config.yaml`, which may be missing or empty.
    /// - Throws: a ``Problem`` that names the setting and where it stands.
    init(environment: [String: String], file: FilePath, hasFile: Bool) async throws(Problem) {
        // An empty variable is one that is not set, as everywhere in a shell.
        let stated = environment.filter { !$0.value.isEmpty }
        var sources = [
            (
                name: "the environment",
                reader: ConfigReader(
                    provider: EnvironmentVariablesProvider(environmentVariables: stated)
                        .prefixKeys(with: "ledger"))
            )
        ]
        if hasFile { sources.append((name: "'\(file)'", reader: try await Self.reader(of: file))) }
        let values = Values(sources: sources)
        let (most, counts) = (PoolOptions.runningMax, "a whole number from 1 to \(PoolOptions.runningMax)")
        directory = values.text("dir")
        jobs = try values.value("jobs", counts) { Int($0).flatMap { (1...most).contains($0) ? $0 : nil } }
        perHost = try values.value("perHost", counts) { Int($0).flatMap { (1...most).contains($0) ? $0 : nil } }
        maxRate = try values.value("maxRate", "a rate such as 10M") { ByteSize(parsing: $0) }
        limitRate = try values.value("limitRate", "a rate such as 500K") { ByteSize(parsing: $0) }
        retries = try values.value("retries", "a whole number, 0 or more") { UInt32($0) }
        timeout = try values.value("timeout", Silence.expected) { Silence(argument: $0) }
        try limit(values)
        userAgent = try values.value("userAgent", "the value of a header, without line breaks") {
            EnqueueRequest.Header(name: "User-Agent", value: $0).isValid ? $0 : nil
        }
        proxy = try values.value("proxy", "a proxy such as http://127.0.0.1:3128") {
            EnqueueRequest.isProxy($0) ? $0 : nil
        }
        noProxy = values.text("noProxy")
        cacert = values.text("cacert")
        cert = values.text("cert")
        key = values.text("key")
        cookies = values.text("cookies")
    }

    /// Reads the hours, the queue, the trash and the retries.
    private mutating func limit(_ values: Values) throws(Problem) {
        window = try values.value("window", DailyHours.expected) { DailyHours(argument: $0) }
        let most = QueueOptions.queuedMax
        queueMax = try values.value("queueMax", "a whole number from 1 to \(most)") {
            Int($0).flatMap { (1...most).contains($0) ? $0 : nil }
        }
        queuePolicy = try values.value("queuePolicy", QueuePolicy.expected) { QueuePolicy(argument: $0) }
        retryWait = try values.value("retryWait", Silence.expected) { Silence(argument: $0) }
        retryFactor = try values.value("retryFactor", GrowthFactor.expected) { GrowthFactor(argument: $0) }
        retryCap = try values.value("retryCap", Silence.expected) { Silence(argument: $0) }
        compactAt = try values.value("compactAt", "a size such as 256M") { ByteSize(parsing: $0) }
        trashSizeMax = try values.value("trashSizeMax", "a size such as 10G") { ByteSize(parsing: $0) }
        trashDaysMax = try values.value("trashDaysMax", "a whole number of days, 0 to \(TrashLimits.daysMost)") {
            UInt32($0).flatMap { $0 <= TrashLimits.daysMost ? $0 : nil }
        }
        retryAfterCap = try values.value("retryAfterCap", Silence.expected) { Silence(argument: $0) }
        redirectsMax = try values.value("redirectsMax", "a whole number from 0 to \(TransferSettings.redirectsMost)") {
            Int($0).flatMap { (0...TransferSettings.redirectsMost).contains($0) ? $0 : nil }
        }
    }

    /// Whether a configuration holds nothing but comments, which the reader of YAML takes for an error.
    static func isBlank(_ text: [UInt8]) -> Bool {
        String(decoding: text, as: UTF8.self).split(whereSeparator: \.isNewline).allSatisfy { line in
            let words = line.drop(while: \.isWhitespace)
            return words.isEmpty || words.hasPrefix("#") || words == "---" || words == "..."
        }
    }

    /// Every setting, as `config.yaml` names it.
    static let names = [
        "cacert", "cert", "compactAt", "cookies", "dir", "jobs", "key", "limitRate", "maxRate", "noProxy", "perHost",
        "proxy", "queueMax", "queuePolicy", "redirectsMax", "retries", "retryAfterCap", "retryCap", "retryFactor",
        "retryWait", "timeout", "trashDaysMax", "trashSizeMax", "userAgent", "window",
    ]

    private static func reader(of file: FilePath) async throws(Problem) -> ConfigReader {
        let keys = Keys()
        let reader: ConfigReader
        do {
            let options = YAMLSnapshot.ParsingOptions(
                secretsSpecifier: .dynamic { key, _ in keys.names.withLock { $0.insert(key).inserted } })
            reader = ConfigReader(
                provider: try await FileProvider<YAMLSnapshot>(parsingOptions: options, filePath: file))
        } catch {
            throw Problem(
                .usage, "the configuration '\(file)' can not be read",
                // What follows the first line is the text around the place, which may hold a password.
                cause: String(describing: error).split(separator: "\n").first.map { Redaction.redacted(String($0)) },
                next: "it holds lines such as 'jobs: 8'", exitCode: .usage)
        }
        for key in keys.names.withLock({ $0.sorted() }) {
            guard names.contains(key) else {
                throw Problem(
                    .usage, "the configuration '\(file)' holds '\(key)', which is no setting",
                    next: "settings are " + names.joined(separator: ", "), exitCode: .usage)
            }
            guard reader.string(forKey: ConfigKey([key])) != nil else {
                throw Problem(
                    .usage, "'\(key)' in '\(file)' is a list and should be one value",
                    next: "it holds lines such as 'jobs: 8'", exitCode: .usage)
            }
        }
        return reader
    }
}

/// The names that a configuration holds: asked of the reader in the guise of which of them are secret.
private final class Keys: Sendable {
    let names = Mutex<Set<String>>([])
}

/// Texts by name, from the first source that has them.
private struct Values {
    let sources: [(name: String, reader: ConfigReader)]

    func text(_ name: String) -> String? { find(name)?.text }

    func value<Value>(
        _ name: String, _ expected: String, _ parse: (String) -> Value?
    ) throws(Problem) -> Value? {
        guard let found = find(name) else { return nil }
        guard let value = parse(found.text) else {
            let shown = found.isVariable ? Self.variable(name) : name
            throw Problem(
                .usage,
                "'\(shown)' in \(found.source) is '\(Problem.presentable(found.text))' and should be \(expected)",
                next: "change it there, or take it out", exitCode: .usage)
        }
        return value
    }

    /// The variable that holds a setting: `LEDGER_PER_HOST` for `perHost`.
    private static func variable(_ name: String) -> String {
        name.reduce(into: "LEDGER_") { $0 += ($1.isUppercase ? "_" : "") + $1.uppercased() }
    }

    private func find(_ name: String) -> (text: String, source: String, isVariable: Bool)? {
        for (index, source) in sources.enumerated() {
            if let text = source.reader.string(forKey: ConfigKey([name])) { return (text, source.name, index == 0) }
        }
        return nil
    }
}
