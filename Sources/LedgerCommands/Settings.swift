import Configuration
import LedgerAPI
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
    var timeout: TimeSpan?
    /// `userAgent`.
    var userAgent: String?
    /// `proxy`.
    var proxy: String?
    /// `cacert`.
    var cacert: String?

    /// Nothing is configured.
    init() {}

    /// Reads what is configured.
    /// - Parameter file: `config.yaml`, which may be missing or empty.
    /// - Throws: a ``Problem`` that names the setting and where it stands.
    init(environment: [String: String], file: FilePath, hasFile: Bool) async throws(Problem) {
        var sources = [
            (
                name: "the environment",
                reader: ConfigReader(
                    provider: EnvironmentVariablesProvider(environmentVariables: environment)
                        .prefixKeys(with: "ledger"))
            )
        ]
        if hasFile { sources.append((name: "'\(file)'", reader: try await Self.reader(of: file))) }
        let values = Values(sources: sources)
        directory = values.text("dir")
        jobs = try values.value("jobs", "a number from 1 on") { Int($0).flatMap { $0 > 0 ? $0 : nil } }
        perHost = try values.value("perHost", "a number from 1 on") { Int($0).flatMap { $0 > 0 ? $0 : nil } }
        maxRate = try values.value("maxRate", "a rate such as 10M") { ByteSize(parsing: $0) }
        limitRate = try values.value("limitRate", "a rate such as 500K") { ByteSize(parsing: $0) }
        retries = try values.value("retries", "a number") { UInt32($0) }
        timeout = try values.value("timeout", "a length of time such as 30s") { TimeSpan(parsing: $0) }
        userAgent = values.text("userAgent")
        proxy = values.text("proxy")
        cacert = values.text("cacert")
    }

    private static func reader(of file: FilePath) async throws(Problem) -> ConfigReader {
        do {
            return ConfigReader(provider: try await FileProvider<YAMLSnapshot>(filePath: file))
        } catch {
            throw Problem(
                .usage, "the configuration '\(file)' can not be read", cause: String(describing: error),
                next: "it holds lines such as 'jobs: 8'", exitCode: .usage)
        }
    }
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
            throw Problem(
                .usage, "'\(name)' in \(found.source) is '\(found.text)' and should be \(expected)",
                exitCode: .usage)
        }
        return value
    }

    private func find(_ name: String) -> (text: String, source: String)? {
        for source in sources {
            if let text = source.reader.string(forKey: ConfigKey([name])) { return (text, source.name) }
        }
        return nil
    }
}
