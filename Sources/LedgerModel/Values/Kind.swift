/// What sort of content a file holds, as screens and filters group it.
package enum Kind: String, Hashable, Sendable, CaseIterable {
    case video, audio, image, document, archive, other

    /// The kind of a media type, or else of a file name's extension. `text/plain` is what servers say when they do not
    /// know, so an extension is believed before it.
    package init(mediaType: String?, name: String) {
        self =
            mediaType.flatMap(Self.ofMediaType) ?? Self.byExtension[Self.suffix(of: name)]
            ?? (mediaType == "text/plain" ? .document : .other)
    }

    /// By its place among them: to hash its name costs several times as much as to count a file.
    package func hash(into hasher: inout Hasher) {
        let place =
            switch self {
            case .video: 0
            case .audio: 1
            case .image: 2
            case .document: 3
            case .archive: 4
            case .other: 5
            }
        hasher.combine(place)
    }

    private static func suffix(of name: String) -> String {
        let dot = name.utf8.lastIndex(of: UInt8(ascii: "."))
        return dot.map { name[name.utf8.index(after: $0)...].lowercased() } ?? ""
    }

    private static func ofMediaType(_ type: String) -> Kind? {
        if type.utf8.starts(with: "video/".utf8) { return .video }
        if type.utf8.starts(with: "audio/".utf8) { return .audio }
        if type.utf8.starts(with: "image/".utf8) { return .image }
        switch type {
        case "application/pdf", "application/epub+zip", "application/msword", "application/rtf": return .document
        case "application/zip", "application/gzip", "application/x-tar", "application/x-xz", "application/zstd",
            "application/x-7z-compressed", "application/x-bzip2", "application/vnd.rar":
            return .archive
        case "text/html", "text/markdown", "text/csv": return .document
        default: return nil
        }
    }

    private static let byExtension: [String: Kind] = {
        let table: [(Kind, String)] = [
            (.video, "mp4 m4v mkv webm mov avi mpg mpeg ts ogv wmv flv"),
            (.audio, "mp3 m4a aac ogg oga opus flac wav wma m4b"),
            (.image, "jpg jpeg png gif webp avif svg bmp tif tiff heic ico"),
            (.document, "pdf epub txt md html htm doc docx odt rtf ps djvu xls xlsx ods csv ppt pptx odp"),
            (.archive, "zip gz tgz tar xz txz bz2 tbz zst 7z rar iso img dmg deb rpm apk jar whl cab lz4 lzma"),
        ]
        var kinds: [String: Kind] = [:]
        for (kind, suffixes) in table { for suffix in suffixes.split(separator: " ") { kinds[String(suffix)] = kind } }
        return kinds
    }()
}
