import LedgerCoding
import LedgerTransfer

extension Aria2Endpoint {
    /// The part of the longest answer that one of XML-RPC may take, counted as JSON: as XML it is up to five times as
    /// long, and all of it is in memory at once.
    private static let xmlShare = 8

    /// Answers the body of a POST in XML-RPC: the same methods, with the same answers, as in JSON. What can not be read
    /// has no answer but a status, as with aria2.
    package func answer(xml body: [UInt8], from address: String) async -> Aria2Answer {
        let call: XMLCall
        do throws(XMLProblem) { call = try XMLCall(body) } catch {
            return Aria2Answer(status: 400, body: [], contentType: "text/xml")
        }
        let guardian = Guardian(configuration, from: address, admitted: {})
        let response: XMLResponse
        do throws(Fault) {
            response = XMLResponse(
                try await value(of: call, guardian), isOfCalls: call.method == Method.multicall.rawValue)
        } catch { response = XMLResponse(faultCode: error.code, error.message) }
        await rest(after: guardian)
        return Aria2Answer(status: 200, body: response.bytes, contentType: "text/xml")
    }

    private func value(of call: XMLCall, _ guardian: Guardian) async throws(Fault) -> JSONValue {
        let room = AnswerRoom(bytesMax: configuration.answerBytesMax / Self.xmlShare)
        var text: [UInt8] = []
        try await perform(call.method, call.parameters, guardian, room).write(to: &text)
        do throws(JSONProblem) { return try JSONValue(parsing: text) } catch { throw Fault(error.description) }
    }
}
