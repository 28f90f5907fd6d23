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
    private static let script = "text/javascript; charset=utf-8"
    private static let style = "text/css; charset=utf-8"
    private static let picture = "image/svg+xml"
    private static let manifest = "application/manifest+json"

    /// The parts by the names under which the page asks for them; `worker.js` lists them too.
    private static let files: [String: File] = [
        "actions.js": File(bytes: PackageResources.actions_js, type: script),
        "add.js": File(bytes: PackageResources.add_js, type: script),
        "api.js": File(bytes: PackageResources.api_js, type: script),
        "app.js": File(bytes: PackageResources.app_js, type: script),
        "card.js": File(bytes: PackageResources.card_js, type: script),
        "chart.js": File(bytes: PackageResources.chart_js, type: script),
        "controls.css": File(bytes: PackageResources.controls_css, type: style),
        "detail.js": File(bytes: PackageResources.detail_js, type: script),
        "dom.js": File(bytes: PackageResources.dom_js, type: script),
        "editor.js": File(bytes: PackageResources.editor_js, type: script),
        "events.js": File(bytes: PackageResources.events_js, type: script),
        "feeds.js": File(bytes: PackageResources.feeds_js, type: script),
        "floats.css": File(bytes: PackageResources.floats_css, type: style),
        "format.js": File(bytes: PackageResources.format_js, type: script),
        "history.js": File(bytes: PackageResources.history_js, type: script),
        "icon.svg": File(bytes: PackageResources.icon_svg, type: picture),
        "icons.js": File(bytes: PackageResources.icons_js, type: script),
        "keys.js": File(bytes: PackageResources.keys_js, type: script),
        "library.css": File(bytes: PackageResources.library_css, type: style),
        "library.js": File(bytes: PackageResources.library_js, type: script),
        "listings.js": File(bytes: PackageResources.listings_js, type: script),
        "manifest.webmanifest": File(bytes: PackageResources.manifest_webmanifest, type: manifest),
        "now.js": File(bytes: PackageResources.now_js, type: script),
        "player.js": File(bytes: PackageResources.player_js, type: script),
        "proofs.js": File(bytes: PackageResources.proofs_js, type: script),
        "ranges.js": File(bytes: PackageResources.ranges_js, type: script),
        "reorder.js": File(bytes: PackageResources.reorder_js, type: script),
        "row.js": File(bytes: PackageResources.row_js, type: script),
        "rowkeys.js": File(bytes: PackageResources.rowkeys_js, type: script),
        "session.js": File(bytes: PackageResources.session_js, type: script),
        "settings.js": File(bytes: PackageResources.settings_js, type: script),
        "storage.js": File(bytes: PackageResources.storage_js, type: script),
        "store.js": File(bytes: PackageResources.store_js, type: script),
        "style.css": File(bytes: PackageResources.style_css, type: style),
        "timeline.js": File(bytes: PackageResources.timeline_js, type: script),
        "toast.js": File(bytes: PackageResources.toast_js, type: script),
        "tools.js": File(bytes: PackageResources.tools_js, type: script),
        "views.css": File(bytes: PackageResources.views_css, type: style),
        "words.js": File(bytes: PackageResources.words_js, type: script),
        "worker.js": File(bytes: PackageResources.worker_js, type: script),
    ]
}
