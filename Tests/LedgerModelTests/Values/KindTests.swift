import LedgerModel
import Testing

/// What sort of content a file holds.
struct KindTests {
    static let rows: [(String?, String, Kind)] = [
        ("video/mp4", "x", .video), ("audio/mpeg", "x.bin", .audio), ("image/png", "x.mp4", .image),
        ("application/pdf", "x", .document), ("application/zip", "x", .archive), ("text/html", "x", .document),
        (nil, "a.MKV", .video), (nil, "a.tar.gz", .archive), (nil, "/dir.mp3/a", .other), (nil, "a", .other),
        (nil, ".mp3", .audio), ("application/octet-stream", "a.iso", .archive),
        ("application/x-nobody", "a.flac", .audio),
        ("text/plain", "a.iso", .archive), ("text/plain", "README", .document), ("", "", .other),
    ]

    @Test(arguments: rows.indices) func `by media type, then by extension`(_ row: Int) {
        let (type, name, kind) = Self.rows[row]
        #expect(Kind(mediaType: type, name: name) == kind, "\(type ?? "none") \(name)")
    }
}
