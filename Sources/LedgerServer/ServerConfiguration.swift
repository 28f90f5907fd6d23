package import Logging
package import SystemPackage

/// How the API is served: where it listens, who may ask, and where files of its clients may go.
package struct ServerConfiguration: Sendable {
    /// Where to listen.
    package var address = ListenAddress()
    /// The directories that files of API clients are confined to; the first is where they go when nothing is said.
    package var roots: [FilePath]
    /// Names besides `localhost` and addresses that `Host` may hold.
    package var hosts: [String] = []
    /// Web origins besides the server's own that may ask, as browsers write them; `*` for any.
    package var origins: [String] = []
    /// Whether downloads of API clients may reach loopback, link-local and private addresses.
    package var allowsPrivateAddresses = false
    /// Whether requests and answers are encrypted, and with what.
    package var certificate: ServerCertificate?
    /// How long clients may take before their connections are closed.
    package var patience = ConnectionPatience()
    /// Connections at once. With one more the one gives way that has waited longest for a request of its client; where
    /// all are answered or talked over, one more than these is taken, and others wait to be accepted.
    package var connectionsMax = 2048
    /// WebSockets at once. With one more the oldest gives way of those that have shown no token where one is needed;
    /// where all have, it is answered 503.
    package var webSocketsMax = 256
    /// The longest body of a request, in bytes; a longer one is answered 413.
    package var bodyBytesMax = 8 << 20
    /// The bodies of all requests that are not answered yet, together, in bytes; beyond it a request is answered 503,
    /// and beyond half of it one to aria2's endpoint, whose token is in its body.
    package var bodiesBytesMax = 128 << 20
    /// The messages of all WebSockets that are not answered yet, together, in bytes; beyond it a client is closed with
    /// 1013, and beyond half of it one that has shown no token.
    package var messagesBytesMax = 64 << 20
    /// The version of the program.
    package var version = "0"
    /// What the world of the ledger counts in, and `/metrics` shows.
    package var metrics = PrometheusRegistry()
    /// Where the server says what happens.
    package var logger: Logger
    /// Ends the program, as aria2's `shutdown` asks.
    package var shutdown: @Sendable () -> Void = {}

    /// The usual configuration.
    package init(roots: [FilePath], logger: Logger) {
        self.roots = roots
        self.logger = logger
    }
}

/// An address to listen on.
package struct ListenAddress: Hashable, Sendable, CustomStringConvertible {
    /// An IP address, or a name such as `localhost`.
    package var host = "127.0.0.1"
    /// The port; 0 lets the system choose one.
    package var port = 6800

    /// aria2's port on loopback.
    package init() {}

    /// Parses `HOST:PORT`, `[IPv6]:PORT`, a host, or a port alone; nil for anything else.
    package init?(parsing text: String) {
        var (host, rest) = (text[...], Substring())
        if text.hasPrefix("[") {
            guard let end = text.firstIndex(of: "]") else { return nil }
            host = text[text.index(after: text.startIndex)..<end]
            rest = text[text.index(after: end)...]
            guard host.contains(":"), rest.isEmpty || rest.hasPrefix(":") else { return nil }
            rest = rest.dropFirst()
        } else if let colon = text.lastIndex(of: ":") {
            (host, rest) = (text[..<colon], text[text.index(after: colon)...])
            guard !host.contains(":"), !rest.isEmpty else { return nil }
        } else if !text.isEmpty, text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) {
            (host, rest) = ("", text[...])
        }
        if !host.isEmpty { self.host = String(host) }
        if !rest.isEmpty {
            guard let port = UInt16(rest) else { return nil }
            self.port = Int(port)
        }
        guard !text.isEmpty, self.host.utf8.allSatisfy({ $0 > 32 && $0 < 127 && $0 != UInt8(ascii: "/") }) else {
            return nil
        }
    }

    /// Whether only this machine reaches it.
    package var isLoopback: Bool {
        // A name that merely begins like such an address may stand for any.
        host == "localhost" || host == "::1"
            || host.hasPrefix("127.") && host.utf8.allSatisfy { (48...57).contains($0) || $0 == 46 }
    }

    /// `HOST:PORT` as a URL has it.
    package var description: String { (host.contains(":") ? "[\(host)]" : host) + ":\(port)" }
}
