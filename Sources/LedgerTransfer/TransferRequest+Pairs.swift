import HTTPTypes

// Heads as pairs of texts, for those who know no fields of HTTP.
extension TransferRequest {
    /// The fields, names as they are sent.
    package var pairs: [(name: String, value: String)] { fields.map { ($0.name.rawName, $0.value) } }
}

extension TransferResponse {
    /// A head with these fields; what is no name of one is left out.
    package init(status: Int, pairs: [(name: String, value: String)], framing: BodyFraming) {
        var fields = HTTPFields()
        for (name, value) in pairs {
            if let name = HTTPField.Name(name) { fields.append(HTTPField(name: name, value: value)) }
        }
        self.init(status: status, fields: fields, framing: framing)
    }
}
