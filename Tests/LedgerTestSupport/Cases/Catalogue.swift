/// Every misbehaviour that the table of BEHAVIOURS names, as cases of an origin.
package enum Catalogue {
    /// All cases in the order of their rows.
    package static let cases: [OriginCase] = entity + framing + answers + redirects + names + files

    /// The rows of the table.
    package static let rows = 1...44

    /// The case of a slug; nil when there is none.
    package static func named(_ slug: String) -> OriginCase? { bySlug[slug] }

    /// The slugs of a row, in their order.
    package static func slugs(row: Int) -> [String] { cases.filter { $0.row == row }.map(\.slug) }

    private static let bySlug = Dictionary(uniqueKeysWithValues: cases.map { ($0.slug, $0) })
}
