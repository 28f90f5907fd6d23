import LedgerModel
import LedgerTransfer

/// What is said to a proxy, and what its answers mean, until it passes on what comes: a value without a socket.
protocol ProxyDialogue: Sendable {
    /// What is said first.
    mutating func begin() -> [UInt8]

    /// Takes out of `received` what it understands, and says what comes next.
    /// - Throws: a ``Failure`` when the proxy refuses, or does not speak its protocol.
    mutating func answer(_ received: inout [UInt8]) throws(Failure) -> ProxyMove
}

/// What comes next in a ``ProxyDialogue``.
enum ProxyMove: Hashable, Sendable {
    /// More bytes are needed.
    case wait
    case say([UInt8])
    /// What comes now goes to and from the origin.
    case done
}

/// `CONNECT` (RFC 9110, section 9.3.6).
struct ConnectDialogue: ProxyDialogue {
    /// The longest head of an answer, in bytes.
    static let headBytesMax = 16 << 10

    private let proxy: Proxy
    private let target: ResourceURL

    /// A dialogue with `proxy` about a connection to the origin of `target`.
    init(_ proxy: Proxy, target: ResourceURL) {
        self.proxy = proxy
        self.target = target
    }

    mutating func begin() -> [UInt8] {
        var lines = ["CONNECT \(target.hostAndPort) HTTP/1.1", "Host: \(target.hostAndPort)"]
        if let authorization = proxy.authorization { lines.append("Proxy-Authorization: \(authorization)") }
        return Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8)
    }

    mutating func answer(_ received: inout [UInt8]) throws(Failure) -> ProxyMove {
        guard let end = endOfHead(in: received) else {
            guard received.count <= Self.headBytesMax else { throw foreign }
            return .wait
        }
        let line = String(
            decoding: received.prefix { $0 != UInt8(ascii: "\r") && $0 != UInt8(ascii: "\n") }, as: UTF8.self)
        let words = line.split(separator: " ", maxSplits: 2)
        guard line.hasPrefix("HTTP/1."), words.count > 1, let status = UInt16(words[1]) else { throw foreign }
        received.removeFirst(end)
        switch status {
        case 200..<300: return .done
        case 407: throw Failure.proxyAuthentication(proxy)
        default:
            let isPassing = status >= 500 || status == 408 || status == 429
            throw Failure(
                .unreachable,
                "the proxy '\(proxy.authority)' answers \(status) \(StatusText.of(Int(status))) to a connection to "
                    + "'\(target.hostAndPort)'", isRetryable: isPassing)
        }
    }

    private func endOfHead(in bytes: [UInt8]) -> Int? {
        let mark = Array("\r\n\r\n".utf8)
        guard bytes.count >= mark.count else { return nil }
        return (mark.count...bytes.count).first { bytes[($0 - mark.count)..<$0].elementsEqual(mark) }
    }

    private var foreign: Failure {
        Failure(.protocolViolation, "the proxy '\(proxy.authority)' does not speak HTTP", isRetryable: false)
    }
}

extension Failure {
    /// The proxy asked who we are, or did not believe it.
    static func proxyAuthentication(_ proxy: Proxy) -> Failure {
        let words =
            proxy.credentials == nil
            ? "asks for a user and a password: --proxy '\(proxy.kind.rawValue)://NAME:PASSWORD@\(proxy.authority)'"
            : "does not take the user and the password"
        return Failure(.unreachable, "the proxy '\(proxy.authority)' \(words)", isRetryable: false)
    }
}

extension Proxy {
    /// The value of `Proxy-Authorization`; nil without credentials. A secret.
    var authorization: String? { credentials.map(Assignment.basic) }
}

extension ResourceURL {
    /// `HOST:PORT`, the port also when it is the scheme's own.
    var hostAndPort: String { (host.contains(":") ? "[\(host)]" : host) + ":\(port)" }
}
