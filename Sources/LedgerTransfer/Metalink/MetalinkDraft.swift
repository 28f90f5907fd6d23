import LedgerModel

/// A file of a Metalink as its parts come in.
struct MetalinkDraft {
    /// How many directories deep a file may stand.
    private static let directoriesMax = 32

    let line: Int
    var length: UInt64?
    var pieces: [PieceHashes] = []
    private(set) var notes: [Metalink.Note] = []
    private var statedPath = ""
    private var path: [String] = []
    private var digests: [Digest] = []
    /// Ranks and URLs; the lowest rank is the best.
    private var sources: [(rank: UInt32, url: ResourceURL.Parsed)] = []

    init(line: Int) { self.line = line }

    mutating func note(_ element: XMLReader.Element, _ text: String) {
        notes.append(.init(line: element.line, text: text))
    }

    /// Takes the name, which may hold directories (RFC 5854, section 4.1.2.1); none of it leads upwards.
    mutating func take(name: String) throws(XMLProblem) {
        statedPath = name
        let parts = name.unicodeScalars.split { $0 == "/" || $0 == "\\" }.map { String($0) }
        path = parts.filter { $0 != "." && $0 != ".." }.compactMap { FileName.safe($0) }
        guard !path.isEmpty else { throw XMLProblem(line: line, "the name of the file can not be used") }
        guard path.count <= Self.directoriesMax else {
            throw XMLProblem(line: line, "the file stands more than \(Self.directoriesMax) directories deep")
        }
    }

    mutating func take(hash text: String, _ element: XMLReader.Element) throws(XMLProblem) {
        guard let algorithm = element.attributes["type"].flatMap({ Digest.Algorithm(named: $0) }) else { return }
        guard let digest = [UInt8](hex: text).flatMap({ Digest(algorithm, $0) }) else {
            throw XMLProblem(line: element.line, "the hash is no \(algorithm.rawValue) in hexadecimal")
        }
        digests.append(digest)
    }

    mutating func take(url text: String, _ element: XMLReader.Element, base: ResourceURL?) {
        if element.attributes["type"] == "bittorrent" { return note(element, "a torrent is left out") }
        do throws(URLProblem) {
            let url = if let base { try base.resolving(text) } else { try ResourceURL.parse(text) }
            sources.append((rank(element), url))
        } catch { note(element, "a URL is left out: \(error.reason)") }
    }

    /// The priority of version 4 counts up from the best, the preference of version 3 down from it.
    private func rank(_ element: XMLReader.Element) -> UInt32 {
        if let preference = element.attributes["preference"].flatMap({ UInt32($0) }) {
            return 100 - min(preference, 100)
        }
        return element.attributes["priority"].flatMap { UInt32($0) } ?? Link.priorityLast
    }

    /// The whole of it.
    /// - Throws: ``XMLProblem`` when it names no URL.
    mutating func file() throws(XMLProblem) -> Metalink.File {
        // Stable: of equal ranks the first stays first.
        let ordered = sources.enumerated().sorted { ($0.element.rank, $0.offset) < ($1.element.rank, $1.offset) }
        var urls: [ResourceURL.Parsed] = []
        for (_, source) in ordered where urls.count < Metalink.urlsMax && !urls.contains(source.url) {
            urls.append(source.url)
        }
        guard !urls.isEmpty else { throw XMLProblem(line: line, "the file has no URL that can be fetched") }
        let fitting = pieces.filter { pieces in length.map { pieces.fits($0) } ?? true }
        if fitting.count < pieces.count {
            notes.append(.init(line: line, text: "hashes of pieces that do not make up the file's size are left out"))
        }
        return Metalink.File(
            line: line, statedPath: statedPath, directories: path.dropLast(), name: path[path.count - 1],
            length: length, digest: StatedDigest.strongest(of: digests),
            pieces: fitting.max { $0.algorithm.strength < $1.algorithm.strength }, urls: urls)
    }
}
