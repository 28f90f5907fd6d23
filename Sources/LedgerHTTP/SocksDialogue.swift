import LedgerModel

/// SOCKS 5 (RFC 1928) with a user and a password when there are any (RFC 1929).
struct SocksDialogue: ProxyDialogue {
    /// The longest user, password or name, in bytes.
    static let textBytesMax = 255

    private enum Stage: Hashable, Sendable {
        case greeting
        case authentication
        case request
    }

    private enum Method {
        static let none: UInt8 = 0
        static let password: UInt8 = 2
        static let refused: UInt8 = 255
    }

    private let proxy: Proxy
    private let user: [UInt8]
    private let password: [UInt8]
    /// The address and the port that are asked for, as the protocol writes them.
    private let destination: [UInt8]
    private let name: String
    private var stage = Stage.greeting

    /// A dialogue with `proxy` about a connection to `host`, a name or an address.
    /// - Throws: a ``Failure`` when the user, the password or the name is longer than ``textBytesMax``.
    init(_ proxy: Proxy, host: String, port: Int) throws(Failure) {
        self.proxy = proxy
        let credentials = proxy.credentials ?? ""
        let user = credentials.prefix { $0 != ":" }
        (self.user, password) = (Array(user.utf8), Array(credentials.dropFirst(user.count + 1).utf8))
        name = "\(host):\(port)"
        let address: [UInt8]
        switch IPAddress(parsing: host)?.bytes {
        case let bytes? where bytes.count == 4: address = [1] + bytes
        case let bytes?: address = [4] + bytes
        case nil: address = [3, UInt8(truncatingIfNeeded: host.utf8.count)] + Array(host.utf8)
        }
        destination = address + [UInt8(truncatingIfNeeded: port >> 8), UInt8(truncatingIfNeeded: port)]
        guard [self.user.count, password.count, host.utf8.count].allSatisfy({ $0 <= Self.textBytesMax }) else {
            throw Failure(
                .unsupported,
                "SOCKS takes users, passwords and names of at most \(Self.textBytesMax) bytes", isRetryable: false)
        }
    }

    mutating func begin() -> [UInt8] {
        proxy.credentials == nil ? [5, 1, Method.none] : [5, 2, Method.none, Method.password]
    }

    mutating func answer(_ received: inout [UInt8]) throws(Failure) -> ProxyMove {
        switch stage {
        case .greeting:
            guard let answer = take(2, of: &received) else { return .wait }
            guard answer[0] == 5 else { throw foreign }
            switch answer[1] {
            case Method.none: return request()
            case Method.password where proxy.credentials != nil:
                stage = .authentication
                return .say([1, UInt8(user.count)] + user + [UInt8(password.count)] + password)
            case Method.refused: throw Failure.proxyAuthentication(proxy)
            default: throw foreign
            }
        case .authentication:
            guard let answer = take(2, of: &received) else { return .wait }
            guard answer[1] == 0 else { throw Failure.proxyAuthentication(proxy) }
            return request()
        case .request:
            guard received.count >= 5 else { return .wait }
            guard received[0] == 5 else { throw foreign }
            guard received[1] == 0 else { throw refusal(received[1]) }
            let addressBytes =
                switch received[3] {
                case 1: 4
                case 4: 16
                case 3: 1 + Int(received[4])
                default: throw foreign
                }
            return take(4 + addressBytes + 2, of: &received) == nil ? .wait : .done
        }
    }

    private mutating func request() -> ProxyMove {
        stage = .request
        return .say([5, 1, 0] + destination)
    }

    private func take(_ count: Int, of received: inout [UInt8]) -> [UInt8]? {
        guard received.count >= count else { return nil }
        defer { received.removeFirst(count) }
        return Array(received.prefix(count))
    }

    private var foreign: Failure {
        Failure(.protocolViolation, "the proxy '\(proxy.authority)' does not speak SOCKS 5", isRetryable: false)
    }

    /// What a reply but success means (RFC 1928, section 6).
    private func refusal(_ code: UInt8) -> Failure {
        let (words, isPassing) =
            switch code {
            case 2: ("its rules do not allow it", false)
            case 3: ("the network can not be reached", true)
            case 4: ("the host can not be reached", true)
            case 5: ("the connection was refused", true)
            case 6: ("the time to live ran out", true)
            case 7: ("it does not open connections", false)
            case 8: ("it does not take this kind of address", false)
            default: ("it failed", true)
            }
        return Failure(
            .unreachable, "the proxy '\(proxy.authority)' opens no connection to '\(name)': \(words)",
            isRetryable: isPassing)
    }
}
