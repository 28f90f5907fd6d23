import HTTPTypes
import Hummingbird
import LedgerAPI
import LedgerCoding

/// The page and its parts, which stand in the binary.
struct PageFiles: Sendable {
    /// One of them.
    private struct File: Sendable {
        let bytes: [UInt8]
        let type: String
    }

    /// The routes: the page holds nothing secret, and asks for a token itself.
    var routes: [Route] {
        [
            Route(.get, "/", nil) { _ in Self.answer(Self.index) },
            Route(.get, "/app/{name}", nil) { call in
                guard let name = call.parameters.get("name"), let file = Self.files[name] else {
                    throw Refusal(.notFound, Problem(.notFound, "the page has no such part"))
                }
                return Self.answer(file)
            },
            Route(.get, "/v1/openapi.json", nil) { _ in
                .bytes(PackageResources.openapi_json, type: "application/json")
            },
        ]
    }

    /// What the page may do: nothing that was not written here, whatever stands in a title.
    static let policy =
        "default-src 'self'; img-src 'self' data: https: http:; media-src 'self'; frame-src 'self'; object-src 'none'; "
        + "base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

    private static func answer(_ file: File) -> Response {
        .bytes(
            file.bytes, type: file.type,
            fields: [
                .contentSecurityPolicy: policy, .referrerPolicy: "no-referrer", .cacheControl: "no-cache",
                .serviceWorkerAllowed: "/",
            ])
    }

    private static let index = File(bytes: PackageResources.index_html, type: "text/html; charset=utf-8")
    private static let files: [String: File] = [:]
}
