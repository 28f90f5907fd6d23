import LedgerModel

/// As what a file is served: inline only what a browser shows without running anything.
struct ServedType: Hashable, Sendable {
    /// The value of `Content-Type`.
    let mediaType: String
    /// Whether it may be shown in place.
    let isInline: Bool

    /// By what the origin said, else by the name.
    init(_ stated: String?, name: String) {
        let known = stated?.split(separator: ";").first.map { $0.lowercased().filter { $0 != " " } }
        let suffix = name.split(separator: "/").last?.split(separator: ".").dropFirst().last?.lowercased() ?? ""
        let chosen = known.flatMap { $0 == "application/octet-stream" || !Self.isType($0) ? nil : $0 }
        let type = chosen ?? Self.bySuffix[suffix] ?? "application/octet-stream"
        // Pictures in SVG hold scripts; they are none of these.
        isInline =
            (type.hasPrefix("video/") || type.hasPrefix("audio/") || Self.pictures.contains(type))
            || type == "application/pdf"
        mediaType = isInline ? type : "application/octet-stream"
    }

    /// The value of `Content-Disposition` (RFC 6266), the name in both its forms.
    static func disposition(_ path: String, isInline: Bool) -> String {
        let name = path.split(separator: "/").last.map(String.init) ?? "file"
        let plain = String(
            name.unicodeScalars.map { scalar -> Character in
                scalar.value >= 32 && scalar.value < 127 && scalar != "\"" && scalar != "\\" ? Character(scalar) : "_"
            })
        let digits = Array("0123456789ABCDEF")
        let extended = name.utf8.map { byte -> String in
            let scalar = Unicode.Scalar(byte)
            guard scalar.isASCII,
                scalar.properties.isAlphabetic || scalar.properties.numericType != nil
                    || "-._".unicodeScalars.contains(scalar)
            else { return "%\(digits[Int(byte >> 4)])\(digits[Int(byte & 15)])" }
            return String(Character(scalar))
        }.joined()
        return "\(isInline ? "inline" : "attachment"); filename=\"\(plain)\"; filename*=UTF-8''\(extended)"
    }

    private static func isType(_ text: String) -> Bool {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        return parts.count == 2
            && parts.allSatisfy { part in
                !part.isEmpty && part.utf8.allSatisfy { $0 > 32 && $0 < 127 && !"()<>@,;:\\\"/[]?=".utf8.contains($0) }
            }
    }

    private static let pictures: Set<String> = [
        "image/jpeg", "image/png", "image/gif", "image/webp", "image/avif", "image/bmp", "image/x-icon",
    ]
    private static let bySuffix = [
        "mp4": "video/mp4", "m4v": "video/mp4", "webm": "video/webm", "mkv": "video/x-matroska",
        "mov": "video/quicktime",
        "ogv": "video/ogg", "mp3": "audio/mpeg", "m4a": "audio/mp4", "aac": "audio/aac", "ogg": "audio/ogg",
        "oga": "audio/ogg", "opus": "audio/ogg", "flac": "audio/flac", "wav": "audio/wav", "pdf": "application/pdf",
        "jpg": "image/jpeg", "jpeg": "image/jpeg", "png": "image/png", "gif": "image/gif", "webp": "image/webp",
        "avif": "image/avif",
    ]
}
