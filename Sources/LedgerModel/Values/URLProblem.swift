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
