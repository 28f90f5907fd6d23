import Crypto
import HTTPTypes
import Hummingbird
import LedgerAPI
import LedgerCoding
import LedgerModel
import NIOCore
import NIOHTTP1

/// One request, as handlers see it.
struct Call: Sendable {
    /// The request's head; its body is read by ``body()`` once.
    let request: Request
    /// What the path's template took.
    let parameters: Parameters
    /// What the client may do.
    let scope: AccessScope
    /// The address that asks.
    let address: String
    /// The longest body, in bytes.
    let bodyBytesMax: Int
    /// What its body holds of what all bodies may, until it is answered.
    let share: BodyBudget.Share
    /// Draws numbers.
    let random: @Sendable () -> UInt64
    /// The body, when it was read ahead.
    var ahead: [UInt8]?
    /// What is asked for, as SHA-256, where an `Idempotency-Key` names it.
    var named: [UInt8] = []

    /// The names and values of the query, decoded.
    var query: Query { Query(parsing: request.uri.query ?? "") }

    /// The bytes of the body.
    /// - Throws: a ``Refusal`` 413 for more than may come.
    func body() async throws -> [UInt8] {
        if let ahead { return ahead }
        do { return try await received() } catch {
            if error is Refusal || error is HTTPParserError { throw error }
            // Whoever cut it short is gone, which is no error of the server.
            throw Refusal.badRequest("the connection ended before the body did")
        }
    }

    private func received() async throws -> [UInt8] {
        var bytes: [UInt8] = []
        for try await chunk in request.body {
            guard bytes.count + chunk.readableBytes <= bodyBytesMax else {
                throw Refusal.tooLong(bytesMax: bodyBytesMax)
            }
            guard share.take(chunk.readableBytes) else {
                throw Refusal(
                    .serviceUnavailable,
                    Problem(.refused, "too much is being sent at once", next: "send it again in a moment"),
                    fields: [.retryAfter: "5", .connection: "close"])
            }
            bytes += chunk.readableBytesView
        }
        return bytes
    }

    /// The body as JSON; an empty one is an object without members.
    /// - Throws: a ``Refusal`` 415 or 400.
    func json() async throws -> JSONValue {
        // What is asked for stands in the body, and nothing in the query, where it would be passed over.
        try query.require(only: [])
        let bytes = try await body()
        if bytes.isEmpty { return .object([:]) }
        let type = request.headers[.contentType]?.split(separator: ";").first.map { $0.lowercased() } ?? ""
        // What a form on another site can send without being asked about it is not taken (CSRF).
        guard type == "application/json" || type.hasSuffix("+json") else {
            throw Self.unsupported("the body is not announced as JSON", next: "send 'Content-Type: application/json'")
        }
        let coding = request.headers[.contentEncoding]?.lowercased() ?? "identity"
        guard coding == "identity" else {
            throw Self.unsupported("the body is announced as packed", next: "send it as it is")
        }
        do throws(JSONProblem) { return try JSONValue(parsing: bytes) } catch {
            throw Refusal.badRequest("the body is no JSON", cause: error.description)
        }
    }

    private static func unsupported(_ words: String, next: String) -> Refusal {
        Refusal(.unsupportedMediaType, Problem(.usage, words, next: next, exitCode: .usage))
    }

    /// The object in the body, whose members are read one by one.
    func members() async throws -> Members {
        guard case .object(let object) = try await json() else {
            throw Refusal.badRequest("the body is no JSON object")
        }
        return Members(object)
    }

    /// The number in the path, as it is written everywhere: one thing has one address.
    private var number: UInt64? {
        guard let text = parameters.get("id"), let number = UInt64(text), number > 0, String(number) == text else {
            return nil
        }
        return number
    }

    /// The download that the path names.
    func download() throws -> DownloadID {
        guard let number else {
            throw Refusal(
                .notFound, Problem(.notFound, "there is no such download", next: "'GET /v1/downloads' lists them"))
        }
        return DownloadID(number)
    }

    /// The listing that the path names.
    func listing() throws -> UInt64 {
        guard let number else {
            throw Refusal(.notFound, Problem(.notFound, "nothing of this number is followed"))
        }
        return number
    }

    /// The name of a command: of the `Idempotency-Key`, when there is one, and what is asked for, so that a repeated
    /// request gets the first answer, and another never does; else a fresh one.
    /// - Parameter part: tells the commands of one request apart.
    func command(_ part: Int = 0) throws -> CommandID {
        guard let name = try name(part) else { return CommandID(high: random(), low: random()) }
        guard let command = CommandID(bytes: Self.hash(name + named)[0..<16]) else {
            preconditionFailure("SHA-256 has 32 bytes")
        }
        return command
    }

    /// What an `Idempotency-Key` makes the name of this request, as SHA-256; nil without one.
    /// - Throws: a ``Refusal`` 400 for a key that is none.
    func name(_ part: Int = 0) throws(Refusal) -> [UInt8]? {
        guard let key = request.headers[.idempotencyKey] else { return nil }
        guard !key.isEmpty, key.utf8.count <= Self.keyBytesMax, key.utf8.allSatisfy({ (33...126).contains($0) }) else {
            throw Refusal.badRequest(
                "an Idempotency-Key has 1 to \(Self.keyBytesMax) characters of ASCII that can be seen")
        }
        return Self.hash("\(request.method.rawValue) \(request.uri.path)\n\(part)\n\(key)".utf8)
    }

    /// What is asked for, as SHA-256 of the query and the body.
    func content() async throws -> [UInt8] {
        Self.hash(Array((request.uri.query ?? "").utf8) + [UInt8(ascii: "\n")] + (try await body()))
    }

    private static func hash(_ bytes: some Collection<UInt8>) -> [UInt8] { Array(SHA256.hash(data: Array(bytes))) }

    /// The longest `Idempotency-Key`, in bytes.
    static let keyBytesMax = 256
}

extension HTTPField.Name {
    /// `Idempotency-Key`.
    static let idempotencyKey = HTTPField.Name("Idempotency-Key")!
    /// `Last-Event-ID`.
    static let lastEventID = HTTPField.Name("Last-Event-ID")!
    /// `Sec-Fetch-Site` (Fetch Metadata).
    static let fetchSite = HTTPField.Name("Sec-Fetch-Site")!
    /// `Sec-Fetch-Mode`.
    static let fetchMode = HTTPField.Name("Sec-Fetch-Mode")!
    /// `Referrer-Policy`.
    static let referrerPolicy = HTTPField.Name("Referrer-Policy")!
    /// `Service-Worker-Allowed`.
    static let serviceWorkerAllowed = HTTPField.Name("Service-Worker-Allowed")!
}
