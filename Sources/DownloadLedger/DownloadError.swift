import LedgerAPI
import LedgerEngine

/// Why something could not be done, in words for people and with a code for programs. It holds no secrets.
///
/// ```swift
/// do throws(DownloadError) {
///     play(try await handle.value)
/// } catch {
///     show(error.message)
///     if error.category == .network { offerToTryAgain() }
/// }
/// ```
public struct DownloadError: Error, Hashable, Sendable, Codable, CustomStringConvertible {
    /// The reason, by its word: those of each category are listed under ``Category-swift.enum``. Words are never given
    /// another meaning; there may be new ones.
    public let code: String
    /// What went wrong, in one sentence without a full stop, in English.
    public let message: String
    /// Why, when the message does not say it.
    public let cause: String?
    /// What helps; nil when nothing is known to.
    public let next: String?
    /// Whether trying again may help, without anything else being changed.
    public let isRetryable: Bool

    /// The sorts of errors that a screen tells apart. A word that is in none of them is ``ledger``.
    ///
    /// ```swift
    /// let isTheirs = [.status, .content].contains(error.category)
    /// ```
    public enum Category: String, Hashable, Sendable, Codable, CaseIterable {
        /// The origin, or the way to it: `unreachable`, `name-not-resolved`, `connect-timeout`, `silence`,
        /// `low-speed`, `connection-lost`, `tls`; `not-now` when ``LedgerConfiguration/policy`` said so.
        case network
        /// The origin answered with an error: `status`.
        case status
        /// What was asked for can not be: `usage`, `bad-url`, `bad-destination`, `destination-taken`, `unsupported`,
        /// `redirect`, `secrets-missing`.
        case request
        /// What came, or what is there, is not what was to be: `protocol`, `digest-mismatch`, `entity-changed`,
        /// `suspicious`, `part-lost`, `altered`, `missing`.
        case content
        /// The disk: `disk-full`, `disk`.
        case fileSystem
        /// It was given up: `cancelled`, `deleted`, `evicted`.
        case givenUp
        /// The ledger refused it, or is not there: `not-found`, `refused`, `queue-full`, `held`, `closed`,
        /// `corrupted`, `tampered`, `too-new`, `interrupted` and so on.
        case ledger
    }

    /// Which sort it is.
    public var category: Category { Self.categories[code] ?? .ledger }

    public var description: String {
        ([message] + [cause.map { "cause: \($0)" }, next.map { "next: \($0)" }].compactMap(\.self)).joined(
            separator: "; ")
    }

    private static let categories: [String: Category] = {
        let table: [(Category, String)] = [
            (.network, "unreachable name-not-resolved connect-timeout silence low-speed connection-lost tls not-now"),
            (.status, "status"),
            (.request, "usage bad-url bad-destination destination-taken unsupported redirect secrets-missing"),
            (.content, "protocol digest-mismatch entity-changed suspicious part-lost altered missing"),
            (.fileSystem, "disk-full disk"), (.givenUp, "cancelled deleted evicted"),
        ]
        var categories: [String: Category] = [:]
        for (category, codes) in table {
            for code in codes.split(separator: " ") { categories[String(code)] = category }
        }
        return categories
    }()
}

extension DownloadError {
    init(_ code: String, _ message: String, cause: String? = nil, next: String? = nil, isRetryable: Bool = false) {
        self.code = code
        self.message = message
        self.cause = cause
        self.next = next
        self.isRetryable = isRetryable
    }

    init(_ problem: Problem) {
        self.init(problem.code.rawValue, problem.message, cause: problem.cause, next: problem.nextInApp)
    }

    init(_ error: LedgerError) { self.init(Problem(error)) }

    init(_ failing: DownloadRow.Failing) {
        self.init(failing.code, failing.message, isRetryable: failing.retryable)
    }
}

extension Problem {
    /// What to do next, unless that is something to be typed: an app has no command line.
    fileprivate var nextInApp: String? {
        guard let next, !next.contains("'ledger ") else { return nil }
        let isTyped = next.split(separator: " ").contains { word in
            let flag = word.drop { "'(".contains($0) }
            return flag.first == "-" && flag.dropFirst().first.map { $0 == "-" || $0.isLetter } ?? false
        }
        return isTyped ? nil : next
    }
}
