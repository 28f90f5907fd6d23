import LedgerModel

/// Reads a Metalink document of version 4 or 3: both nest the same parts, in other wrappings.
struct MetalinkReader {
    private static let namespaces = ["urn:ietf:params:xml:ns:metalink", "http://www.metalinker.org/"]

    private var xml: XMLReader
    private let base: ResourceURL?
    private var namespace = ""
    private var files: [Metalink.File] = []
    private var notes: [Metalink.Note] = []

    init(_ bytes: [UInt8], base: ResourceURL?) throws(XMLProblem) {
        xml = try XMLReader(bytes)
        self.base = base
    }

    mutating func read() throws(XMLProblem) -> Metalink {
        let root = try xml.root()
        guard root.name == "metalink", Self.namespaces.contains(root.namespace) else {
            throw XMLProblem(line: root.line, "the document is no Metalink of version 3 or 4")
        }
        namespace = root.namespace
        try readFiles()
        try xml.finish()
        guard !files.isEmpty else { throw XMLProblem(line: root.line, "the Metalink describes no file") }
        return Metalink(files: files, notes: notes)
    }

    /// The files of the innermost element; version 3 wraps them in `files`.
    private mutating func readFiles() throws(XMLProblem) {
        while let child = try nextChild() {
            switch child.name {
            case "files": try readFiles()
            case "file":
                guard files.count < Metalink.filesMax else {
                    throw XMLProblem(line: child.line, "the Metalink describes more than \(Metalink.filesMax) files")
                }
                files.append(try readFile(child))
            default: try xml.skip()
            }
        }
    }

    private mutating func readFile(_ element: XMLReader.Element) throws(XMLProblem) -> Metalink.File {
        guard let text = element.attributes["name"] else {
            throw XMLProblem(line: element.line, "the file has no name")
        }
        var draft = MetalinkDraft(line: element.line)
        try draft.take(name: text)
        try readParts(&draft)
        let file = try draft.file()
        notes = Array((notes + draft.notes).prefix(Metalink.notesMax))
        return file
    }

    /// The parts of a file; version 3 wraps hashes in `verification` and URLs in `resources`.
    private mutating func readParts(_ draft: inout MetalinkDraft) throws(XMLProblem) {
        while let child = try nextChild() {
            switch child.name {
            case "verification", "resources": try readParts(&draft)
            case "size":
                let text = try xml.text()
                guard let size = UInt64(text), size <= FileIdentity.lengthMax else {
                    throw XMLProblem(line: child.line, "'\(text.prefix(40))' is no size")
                }
                draft.length = size
            case "hash": try draft.take(hash: try xml.text(), child)
            case "pieces": try readPieces(child, &draft)
            case "url": draft.take(url: try xml.text(), child, base: base)
            case "metaurl":
                draft.note(child, "a torrent or another description is left out")
                try xml.skip()
            case "signature":
                draft.note(child, "a signature is not checked")
                try xml.skip()
            default: try xml.skip()
            }
        }
    }

    private mutating func readPieces(
        _ element: XMLReader.Element, _ draft: inout MetalinkDraft
    ) throws(XMLProblem) {
        guard let algorithm = element.attributes["type"].flatMap({ Digest.Algorithm(named: $0) }) else {
            return try xml.skip()
        }
        guard let text = element.attributes["length"], let length = UInt64(text), length > 0 else {
            throw XMLProblem(line: element.line, "the pieces have no length")
        }
        var bytes: [UInt8] = []
        var count = 0
        while let child = try nextChild() {
            guard child.name == "hash" else {
                try xml.skip()
                continue
            }
            // Version 3 numbers them.
            if let number = child.attributes["piece"], number != String(count) {
                throw XMLProblem(line: child.line, "piece \(number.prefix(20)) stands where \(count) is expected")
            }
            count += 1
            let text = try xml.text()
            guard let hash = [UInt8](hex: text), hash.count == algorithm.byteCount else {
                throw XMLProblem(line: child.line, "the hash of a piece is no \(algorithm.rawValue) in hexadecimal")
            }
            if bytes.count <= Metalink.pieceBytesMax { bytes += hash }
        }
        guard bytes.count <= Metalink.pieceBytesMax else {
            draft.note(element, "\(count) pieces by \(algorithm.rawValue) are too many; left out")
            return
        }
        guard length <= FileIdentity.lengthMax else {
            draft.note(element, "pieces of \(length) bytes are longer than a file can be; left out")
            return
        }
        if let pieces = PieceHashes(algorithm, pieceLength: length, bytes: bytes) { draft.pieces.append(pieces) }
    }

    /// The next child in the document's own namespace: extensions of others are skipped.
    private mutating func nextChild() throws(XMLProblem) -> XMLReader.Element? {
        while let child = try xml.nextChild() {
            if child.namespace == namespace { return child }
            try xml.skip()
        }
        return nil
    }
}
