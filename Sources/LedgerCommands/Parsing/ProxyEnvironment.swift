import LedgerAPI
import LedgerViews

/// What the environment says about proxies, in the variables that most programs share.
///
/// The name in small letters counts before the one in capitals, and `HTTP_PROXY` does not count at all: a web server
/// sets it to what a client sends as `Proxy`. An empty value says nothing.
struct ProxyEnvironment: Hashable, Sendable {
    private let variables: [String: String]

    /// The variables of a process.
    init(_ variables: [String: String]) { self.variables = variables }

    /// The variable that names the proxy for URLs of a scheme, and what it says; nil for none.
    func proxy(isSecure: Bool) -> (name: String, text: String)? {
        let names = isSecure ? ["https_proxy", "HTTPS_PROXY"] : ["http_proxy"]
        for name in names + ["all_proxy", "ALL_PROXY"] {
            if let text = variables[name], !text.isEmpty { return (name, text) }
        }
        return nil
    }

    /// The proxy for URLs of a scheme; nil for none.
    /// - Throws: a ``Problem`` that names the variable which holds no proxy.
    func checkedProxy(isSecure: Bool) throws(Problem) -> String? {
        guard let found = proxy(isSecure: isSecure) else { return nil }
        guard EnqueueRequest.isProxy(found.text) else {
            throw Problem(
                .usage,
                "'\(found.name)' in the environment is '\(Problem.presentable(found.text))', which is no proxy",
                cause: EnqueueRequest.proxyForm,
                next: "change it there, or go without: --proxy ''", exitCode: .usage)
        }
        return found.text
    }

    /// The hosts that are reached without a proxy; nil when nothing is said.
    var noProxy: String? { (variables["no_proxy"] ?? variables["NO_PROXY"]).flatMap { $0.isEmpty ? nil : $0 } }
}
