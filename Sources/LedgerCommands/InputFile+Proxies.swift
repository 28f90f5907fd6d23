import LedgerModel
import LedgerViews

extension InputFile {
    /// The proxies that an item's options name, as aria2 has them: for http, for https, for both, each with a user and
    /// a password of its own.
    struct Proxies: Hashable, Sendable {
        private var values: [String: String] = [:]

        private static let kinds = ["http-proxy", "https-proxy", "all-proxy"]

        /// Takes an option; false when it is about something else.
        mutating func take(_ option: Option) -> Bool {
            guard Self.kinds.contains(where: { [$0, $0 + "-user", $0 + "-passwd"].contains(option.name) }) else {
                return false
            }
            values[option.name] = option.value
            return true
        }

        /// The proxy for a URL, with its credentials; empty for none, nil when nothing is said.
        func proxy(isSecure: Bool) -> String? {
            let own = isSecure ? "https-proxy" : "http-proxy"
            guard let kind = [own, "all-proxy"].first(where: { values[$0] != nil }), let text = values[kind] else {
                return nil
            }
            guard let user = values[kind + "-user"], !text.isEmpty else { return text }
            // What is no proxy is told when the request is checked.
            do throws(URLProblem) {
                var proxy = try Proxy.parse(text)
                proxy.credentials = user + ":" + (values[kind + "-passwd"] ?? "")
                return proxy.whole
            } catch { return text }
        }
    }
}

extension InputFile.Item {
    /// Whether passwords are looked for in `.netrc`.
    var usesNetrc: Bool { options.last { $0.name == "no-netrc" }?.value != "true" }
}
