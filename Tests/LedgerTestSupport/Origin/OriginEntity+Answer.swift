import HTTPTypes
import LedgerModel
import LedgerTransfer

extension OriginEntity {
    /// The answer of an origin in good order to a request of a transport without a network, its head and its body.
    /// - Parameter isWhole: whether the origin heeds neither ranges nor conditions.
    func answer(to request: TransferRequest, isWhole: Bool = false) -> (head: TransferResponse, body: [UInt8]) {
        let fields = request.fields.map { OriginRequest.Field(name: $0.name.canonicalName, value: $0.value) }
        let reply = response(
            to: OriginRequest(method: "GET", target: request.url.path, fields: isWhole ? [] : fields))
        var headers = HTTPFields()
        for (name, value) in reply.fields {
            guard let name = HTTPField.Name(name) else { continue }
            headers.append(HTTPField(name: name, value: value))
        }
        let length = BodyFraming.length(UInt64(reply.body.count))
        return (TransferResponse(status: reply.status, fields: headers, framing: length), reply.body)
    }
}
