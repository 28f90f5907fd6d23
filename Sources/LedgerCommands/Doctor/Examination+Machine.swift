import LedgerAPI
import LedgerEngine
import LedgerModel
import LedgerServer
import LedgerSystem
import LedgerViews
import SystemPackage

/// What is configured, and what the machine gives.
extension Examination {
    /// The ranges of one file that are fetched at once when nothing is said, at most.
    static let rangesUsual = 8
    /// Descriptors beside those of transfers: the log, the API and its clients.
    static let descriptorsBeside: UInt64 = 256
    /// Where systems keep the certificates of authorities that are trusted.
    static let authorityFiles = [
        "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/cert.pem",
    ]

    /// The configuration, and what holds where it can not be read: the usual.
    func configuration() async -> (settings: Settings, findings: [Finding]) {
        let strangers = strangers()
        do throws(Problem) {
            let settings = try await LedgerSession.settings(of: home, in: context)
            let changed = settings.differences(from: Settings())
            let words = changed.isEmpty ? "nothing is configured: the defaults hold" : changed.joined(separator: ", ")
            return (settings, [Finding("configuration", .ok, words)] + strangers)
        } catch { return (Settings(), [Finding("configuration", error)] + strangers) }
    }

    /// Variables that look like settings and are none.
    private func strangers() -> [Finding] {
        let known = Set(Settings.names.map(Settings.variable) + ["LEDGER_HOME"])
        let unknown = context.environment.keys.filter { $0.hasPrefix("LEDGER_") && !known.contains($0) }.sorted()
        guard !unknown.isEmpty else { return [] }
        return [
            Finding(
                "environment", .warn, "\(unknown.joined(separator: ", ")): no setting is called so",
                next: "settings are \(Settings.names.map(Settings.variable).joined(separator: ", "))")
        ]
    }

    /// Where downloads go when nothing else is said.
    /// - Parameter directory: what the holder or the configuration says; nil for where this program was started.
    func destination(_ directory: String?) -> [Finding] {
        let path = context.path(directory ?? ".")
        do throws(FileError) {
            guard let kind = try context.kind(of: path) else {
                let words = "'\(path)', where downloads go, is not there yet"
                return [
                    Finding("destination", .warn, words, next: "it is made by the first download; or: mkdir -p \(path)")
                ]
            }
            guard kind == .directory, try Ownership(of: path).mayWrite else {
                return [
                    Finding(
                        "destination", .bad, "'\(path)', where downloads go, can not be written to",
                        next: "give another with '-d' or 'dir', or see to it that user \(CurrentProcess.user) may")
                ]
            }
        } catch {
            return [Finding("destination", .bad, "'\(path)' can not be looked at: \(error.errno)", next: "see who may")]
        }
        return [
            volume(of: path, "destination", "'\(path)', where downloads go,"),
            room(in: path, "destination-room", trash: path.appending(Trash.hiddenName)),
        ]
    }

    /// The authorities whose certificates are trusted.
    func authorities(_ settings: Settings) -> Finding {
        let named = settings.cacert.map { [$0] }
        // One that can not be read is as good as none; the next may be.
        for path in (named ?? Self.authorityFiles).map(context.path) where bytes(of: path) ?? 0 > 0 {
            return Finding("authorities", .ok, "'\(path)' names those trusted")
        }
        return Finding(
            "authorities", .bad,
            named.map { "'\($0[0])' ('cacert') is empty or can not be read" }
                ?? "no certificates of authorities are found: nothing can be fetched over https",
            next: named == nil
                ? "apt install ca-certificates, or name a file: 'cacert'" : "name another file, or take it out")
    }

    /// The other files that the configuration names and that can not be read: with such a one no download begins.
    func companions(_ settings: Settings) -> [Finding] {
        [("cookies", settings.cookies), ("cert", settings.cert), ("key", settings.key)].compactMap { name, file in
            guard let file = file.map(context.path), bytes(of: file) == nil else { return nil }
            return Finding(
                "configuration", .bad, "'\(file)' ('\(name)') can not be read",
                next: "name another file, or take it out")
        }
    }

    /// How long a file is; nil for one that can not be read.
    private func bytes(of path: FilePath) -> UInt64? {
        do throws(FileError) {
            guard try context.kind(of: path) == .regular else { return nil }
            let file = try fileSystem.open(path, .read)
            defer { file.close() }
            return try file.status().length
        } catch { return nil }
    }

    /// How many files and connections may be open, against what the downloads of the configuration need.
    func descriptors(_ settings: Settings) -> Finding {
        seen("descriptors") { () throws(FileError) in
            let most = try CurrentProcess.descriptorsMax()
            let (jobs, split) = (settings.limits.runningMax, Self.rangesUsual)
            // A connection for each range, and the file.
            let need = UInt64(jobs * (split + 2)) + Self.descriptorsBeside
            let words = "\(Figures.count(most)) may be open at once"
            guard most < need else { return Finding("descriptors", .ok, words) }
            return Finding(
                "descriptors", .warn, "\(words); \(jobs) downloads at once may need \(Figures.count(need))",
                next: "raise it (ulimit -n, LimitNOFILE=), or lower 'jobs'")
        }
    }

    /// The proxies that the configuration or the environment names.
    func proxies(_ settings: Settings) -> Finding {
        var found: [String] = []
        if let proxy = settings.proxy { found.append("'proxy' is \(Redaction.redacted(proxy))") }
        let environment = ProxyEnvironment(context.environment)
        for isSecure in [false, true] {
            do throws(Problem) { _ = try environment.checkedProxy(isSecure: isSecure) } catch {
                return Finding("proxies", error)
            }
            guard let proxy = environment.proxy(isSecure: isSecure) else { continue }
            found.append("\(proxy.name) is \(Redaction.redacted(proxy.text))")
        }
        guard !found.isEmpty else { return Finding("proxies", .ok, "none: origins are reached directly") }
        return Finding("proxies", .ok, Set(found).sorted().joined(separator: ", "))
    }
}

extension Settings {
    /// The variable of the environment that a setting is read from.
    static func variable(_ name: String) -> String {
        "LEDGER_" + name.reduce(into: "") { $0 += $1.isUppercase ? "_\($1)" : $1.uppercased() }
    }
}
