import LedgerCoding
import LedgerEngine
import LedgerHolder
import LedgerModel
import LedgerTestSupport

@testable import LedgerAria2

/// What a method refused, as a client sees it.
struct Refused: Error, Hashable {
    var status: Int
    var code: Int64
    var message: String
}

extension Aria2Fixture {
    /// Calls a method over POST; returns its result.
    @discardableResult
    func call(_ method: String, _ parameters: JSONValue...) async throws -> JSONValue {
        let request: JSONValue = ["id": "t", "method": .string(method), "params": .array(parameters)]
        let answer = await endpoint.answer(request.utf8)
        return try Self.result(of: try JSONValue.read(answer.body), status: answer.status)
    }

    /// The result in an answer.
    /// - Throws: ``Refused`` for an error.
    static func result(of answer: JSONValue, status: Int) throws -> JSONValue {
        if let result = answer["result"] { return result }
        guard case .int(let code)? = answer["error"]?["code"], let message = answer["error"]?["message"]?.string else {
            throw Refused(status: status, code: 0, message: answer.description)
        }
        throw Refused(status: status, code: code, message: message)
    }

    /// The message that a call is refused with; nil when it is not.
    func refusal(_ method: String, _ parameters: [JSONValue]) async throws -> String? {
        let request: JSONValue = ["id": "t", "method": .string(method), "params": .array(parameters)]
        let answer = await endpoint.answer(request.utf8)
        do {
            _ = try Self.result(of: try JSONValue.read(answer.body), status: answer.status)
            return nil
        } catch let refused as Refused {
            return refused.status == 400 && refused.code == 1 ? refused.message : "\(refused)"
        }
    }

    /// The URL of a path of the origin.
    func url(_ path: String) throws -> JSONValue { .string(try origin.url(path).text) }

    /// Adds a URL of the origin; returns its GID.
    func add(_ path: String, _ options: JSONValue = [:], at position: JSONValue? = nil) async throws -> JSONValue {
        let urls: JSONValue = [try url(path)]
        guard let position else { return try await call("aria2.addUri", urls, options) }
        return try await call("aria2.addUri", urls, options, position)
    }

    /// The GIDs of those that wait, in order.
    func waiting() async throws -> [JSONValue] {
        try await call("aria2.tellWaiting", 0, 1000, ["gid"]).list.compactMap { $0["gid"] }
    }

    /// What is said of a download.
    func status(_ gid: JSONValue) async throws -> String? {
        try await call("aria2.tellStatus", gid, ["status"])["status"]?.string
    }

    /// Waits until a download stands so.
    func until(_ gid: JSONValue, _ wanted: String) async throws {
        try await until { try await status(gid) == wanted }
    }

    /// Waits until something holds. What runs is no event, so it is looked at now and then, too.
    func until(_ holds: () async throws -> Bool) async throws {
        while true {
            let last = service.ledger.lastSequence
            if try await holds() { return }
            await service.ledger.waitForEvents(after: last, atMost: .milliseconds(20))
            try Task.checkCancellation()
        }
    }

    /// Serves a file that takes until the gate is opened: it stands there after `count` bytes.
    func hold(_ path: String, bytes: Int = 200_000, after count: Int = 100_000) -> OriginGate {
        let (gate, content) = (OriginGate(), OriginEntity.pattern(bytes))
        origin.on(path) { OriginEntity(content).reply(to: $0).holding(at: gate, after: count) }
        return gate
    }
}

extension JSONValue {
    /// The value in bytes of JSON, whole numbers as a literal of this language makes them.
    static func read(_ bytes: [UInt8]) throws -> JSONValue { try JSONValue(parsing: bytes).plain }

    private var plain: JSONValue {
        switch self {
        case .uint(let number): .int(Int64(clamping: number))
        case .array(let values): .array(values.map(\.plain))
        case .object(let object):
            .object(object.members.reduce(into: [:]) { plain, member in plain[member.name] = member.value.plain })
        case .null, .bool, .int, .double, .string: self
        }
    }

    // A plain nil would be JSON's null, which is a value.
    subscript(name: String) -> JSONValue? {
        if case .object(let object) = self { object[name] } else { Optional.none }
    }

    subscript(index: Int) -> JSONValue? {
        if case .array(let values) = self, index < values.count { values[index] } else { Optional.none }
    }

    /// The values of a list; none of anything else.
    var list: [JSONValue] {
        if case .array(let values) = self { values } else { [] }
    }

    var string: String? {
        if case .string(let text) = self { text } else { nil }
    }
}

extension Aria2Endpoint {
    /// Answers a client on this machine.
    func answer(_ body: [UInt8]) async -> Aria2Answer { await answer(body, from: "127.0.0.1") }

    func answer(xml body: String) async -> Aria2Answer { await answer(xml: Array(body.utf8), from: "127.0.0.1") }

    /// Answers a query of a client on this machine.
    func answer(query: [(name: String, value: String)]) async -> Aria2Answer {
        await answer(query: query, from: "127.0.0.1")
    }
}
