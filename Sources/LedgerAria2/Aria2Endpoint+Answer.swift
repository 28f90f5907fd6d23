import LedgerAPI
import LedgerCoding
import LedgerEngine
import LedgerHolder
import LedgerModel
import LedgerSystem

extension Aria2Endpoint {
    /// How long it takes to say that a secret is wrong: guessing is slow. As long as with aria2.
    static let refusalPause = Duration.milliseconds(1750)

    /// Answers the body of a POST, or a text frame: a call, or a list of them.
    /// - Parameter admitted: called when a secret lets a call through, before anything is done for it.
    package func answer(
        _ body: [UInt8], from address: String, admitted: @escaping @Sendable () -> Void = {}
    ) async -> Aria2Answer {
        let value: JSONValue
        do throws(JSONProblem) { value = try JSONValue(parsing: body) } catch {
            return Self.answer(to: Reply(id: .null, outcome: .failure(.parseError)))
        }
        return await answer(value, address, admitted)
    }

    /// Answers a GET: `method`, `id`, `params` (a JSON list in base64) and `jsoncallback`; without method and id
    /// `params` is what a body would be. Names and values are decoded.
    package func answer(query: [(name: String, value: String)], from address: String) async -> Aria2Answer {
        func value(_ name: String) -> String? { query.last { $0.name == name }?.value }
        var answer = await self.answer(method: value("method"), id: value("id"), parameters: value("params"), address)
        guard let callback = value("jsoncallback") else { return answer }
        // The name becomes part of a script: nothing but a name does.
        guard !callback.isEmpty, callback.utf8.allSatisfy(Self.isOfName) else {
            return Self.answer(to: Reply(id: .null, outcome: .failure(.invalidRequest)))
        }
        answer.body = Array((callback + "(").utf8) + answer.body + Array(")".utf8)
        answer.contentType = "text/javascript"
        return answer
    }

    private func answer(
        method: String?, id: String?, parameters: String?, _ address: String
    ) async -> Aria2Answer {
        var given: JSONValue?
        if let parameters {
            // In a query a plus may have become a space.
            let digits = parameters.utf8.map { $0 == UInt8(ascii: " ") ? UInt8(ascii: "+") : $0 }
            do throws(JSONProblem) { given = try JSONValue(parsing: bytes(ofBase64: digits) ?? []) } catch {
                return Self.answer(to: Reply(id: .null, outcome: .failure(.parseError)))
            }
        }
        guard method != nil || id != nil else { return await answer(given ?? .null, address) }
        var object: JSONObject = [:]
        object["method"] = method.map { .string($0) }
        object["id"] = id.map { .string($0) }
        object["params"] = given
        return await answer(.object(object), address)
    }

    private static func isOfName(_ byte: UInt8) -> Bool {
        let character = Character(Unicode.Scalar(byte))
        return character.isASCII && (character.isLetter || character.isNumber || "_.$[]".contains(character))
    }

    private func answer(
        _ value: JSONValue, _ address: String, _ admitted: @escaping @Sendable () -> Void = {}
    ) async -> Aria2Answer {
        switch value {
        case .object(let object):
            let guardian = Guardian(configuration, from: address, admitted: admitted)
            let reply = await reply(to: object, guardian, AnswerRoom(bytesMax: configuration.answerBytesMax))
            await rest(after: guardian)
            return Self.answer(to: reply)
        case .array(let values):
            return await answer(values, address, admitted)
        case .null, .bool, .int, .uint, .double, .string:
            return Self.answer(to: Reply(id: .null, outcome: .failure(.invalidRequest)))
        }
    }

    /// Answers a list of calls, each as soon as it is done, so that no more is in memory than the text of it.
    private func answer(
        _ values: [JSONValue], _ address: String, _ admitted: @escaping @Sendable () -> Void
    ) async -> Aria2Answer {
        let room = AnswerRoom(bytesMax: configuration.answerBytesMax)
        do throws(Fault) { try room.enter(calls: values.count) } catch {
            return Self.answer(to: Reply(id: .null, outcome: .failure(error)))
        }
        let guardian = Guardian(configuration, from: address, admitted: admitted)
        var bytes = Array("[".utf8)
        for case .object(let object) in values {
            if bytes.count > 1 { bytes.append(UInt8(ascii: ",")) }
            await reply(to: object, guardian, room).write(to: &bytes)
        }
        bytes.append(UInt8(ascii: "]"))
        await rest(after: guardian)
        return Aria2Answer(status: 200, body: bytes)
    }

    private func reply(to object: JSONObject, _ guardian: Guardian, _ room: AnswerRoom) async -> Reply {
        let call: Call
        do throws(Call.Refused) { call = try Call.parse(object) } catch {
            return Reply(id: error.id, outcome: .failure(error.fault))
        }
        do throws(Fault) {
            let value = try await perform(call.method, call.parameters, guardian, room)
            return Reply(id: call.id, outcome: .success(value))
        } catch {
            return Reply(id: call.id, outcome: .failure(error))
        }
    }

    func rest(after guardian: Guardian) async {
        guard await guardian.hasRefused else { return }
        let clock = service.ledger.world.clock
        // Whoever leaves meanwhile has no answer to wait for.
        do { try await clock.sleep(until: clock.uptime() + Self.refusalPause) } catch { return }
    }

    private static func answer(to reply: Reply) -> Aria2Answer {
        var bytes: [UInt8] = []
        reply.write(to: &bytes)
        return Aria2Answer(status: reply.status, body: bytes)
    }
}
