package import HTTPTypes
package import LedgerModel

extension StatedDigest {
    /// The strongest digest of known algorithm that the fields of an answer state; nil when there is none that can be
    /// read.
    package static func strongest(in fields: HTTPFields) -> Digest? {
        let stated = fields.value(of: representation).map(parse) ?? []
        return strongest(of: stated + (fields.value(of: instance).map(parseInstance) ?? []))
    }

    private static let representation = name("Repr-Digest")
    private static let instance = name("Digest")

}

extension Link {
    /// The links of an answer; none when it has no `Link` field.
    package static func links(in fields: HTTPFields) -> [Link] { fields.value(of: link).map(parse) ?? [] }

    private static let link = name("Link")
}

private func name(_ text: String) -> HTTPField.Name {
    guard let name = HTTPField.Name(text) else { preconditionFailure("the names of these fields are tokens") }
    return name
}
