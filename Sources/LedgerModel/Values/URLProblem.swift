/// Why a text is not a URL this program can fetch.
package enum URLProblem: Error, Hashable, Sendable {
    case empty
    case tooLong(bytes: Int)
    case controlCharacter
    case noScheme
    case unsupportedScheme(String)
    case noHost
    case badHost(String)
    case badPort(String)
}

extension URLProblem {
    /// What is wrong, in words that hold nothing of the text but its scheme: the rest may be a password.
    package var reason: String {
        switch self {
        case .empty: "the URL is empty"
        case .tooLong(let bytes): "the URL is too long: \(bytes) bytes, and \(ResourceURL.bytesMax) are the most"
        case .controlCharacter: "the URL holds a control character"
        case .noScheme: "the URL does not start with http:// or https://"
        case .unsupportedScheme(let scheme): "'\(scheme)' is not spoken here"
        case .noHost: "the URL names no host"
        case .badHost: "the URL names a host that can not be"
        case .badPort: "the URL names a port that can not be"
        }
    }
}
