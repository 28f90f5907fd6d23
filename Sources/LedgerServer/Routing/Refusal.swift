import HTTPTypes
import LedgerAPI
import LedgerCoding

/// Why a request is not answered as it asked, with the status that says so.
struct Refusal: Error {
    /// What HTTP calls it.
    let status: HTTPResponse.Status
    /// What went wrong, why and what next.
    let problem: Problem
    /// Fields that belong to the status.
    var fields: HTTPFields = [:]
    /// Members beside the problem's own.
    var members: JSONObject = [:]

    /// A refusal in words.
    init(_ status: HTTPResponse.Status, _ problem: Problem, fields: HTTPFields = [:]) {
        self.status = status
        self.problem = problem
        self.fields = fields
    }

    /// A refusal of what a request holds.
    static func badRequest(_ message: String, cause: String? = nil, next: String? = nil) -> Refusal {
        Refusal(.badRequest, Problem(.usage, message, cause: cause, next: next, exitCode: .usage))
    }

    /// A refusal of a name in a request that holds something else than the `known` ones.
    static func meaningless(_ name: String, known: some Collection<String>) -> Refusal {
        badRequest(
            "'\(Problem.presentable(name))' means nothing here",
            next: known.isEmpty
                ? "leave it out: nothing is asked for here" : "what does: " + known.sorted().joined(separator: ", "))
    }

    /// A refusal of what can be read, and can not be done.
    static func unprocessable(_ message: String, cause: String? = nil, next: String? = nil) -> Refusal {
        Refusal(.unprocessableContent, Problem(.usage, message, cause: cause, next: next, exitCode: .usage))
    }

    /// What the ledger refused.
    init(_ problem: Problem) { self.init(Self.status(of: problem), problem) }

    private static func status(of problem: Problem) -> HTTPResponse.Status {
        switch problem.code {
        // What can not be read was refused before the ledger saw it.
        case .usage, .badURL, .badDestination: .unprocessableContent
        case .notFound, .missing, .noLedger: .notFound
        case .refused, .destinationTaken, .stale: .conflict
        case .queueFull: .tooManyRequests
        case .held, .holderLeft, .closed, .versionMismatch, .disk: .serviceUnavailable
        case .diskFull: .insufficientStorage
        case .corrupted, .tampered, .tooNew, .internal: .internalServerError
        }
    }

    /// Problem details (RFC 9457).
    var body: JSONValue {
        var object: JSONObject = [
            "type": "about:blank", "title": .string(status.reasonPhrase), "status": JSONValue(status.code),
        ]
        object.merge(problem.members)
        object.merge(members)
        return .object(object)
    }
}

extension HTTPResponse.Status {
    /// 507: there is no room on the disk (RFC 4918, section 11.5).
    static let insufficientStorage = HTTPResponse.Status(code: 507, reasonPhrase: "Insufficient Storage")
}

extension Problem {
    /// The members of problem details, for one of many things that were refused.
    var members: JSONObject {
        var object: JSONObject = ["code": .string(code.rawValue), "detail": .string(message)]
        object["cause"] = cause.map { .string($0) }
        object["next"] = next.map { .string($0) }
        return object
    }
}
