/// Whatever a document says, its files stay below their directory and are to be had somewhere.
func checkMetalink(_ bytes: [UInt8]) {
    let metalink: Metalink
    do throws(XMLProblem) {
        metalink = try Metalink.parse(bytes, base: ResourceURL(recorded: "https://h.example/d/x"))
    } catch {
        hold(error.line >= 1 && !error.reason.isEmpty, "a problem has its line and its words")
        return
    }
    hold(!metalink.files.isEmpty && metalink.files.count <= Metalink.filesMax, "a document describes files")
    hold(metalink.notes.count <= Metalink.notesMax, "notes have their bound")
    for file in metalink.files {
        for part in file.directories + [file.name] { checkSafe(part, bytesMax: Destination.nameBytesMax) }
        hold(!file.urls.isEmpty && file.urls.count <= Metalink.urlsMax, "a file has URLs, within their bound")
        for url in file.urls { hold(ResourceURL.isSame(url.url), "a URL reads as itself: \(url.url)") }
        guard let pieces = file.pieces else { continue }
        hold(pieces.bytes.count <= Metalink.pieceBytesMax, "hashes of pieces have their bound")
        hold(file.length.map { pieces.fits($0) } ?? true, "pieces make up the file")
    }
}

/// Links have their bounds, and what was read of one reads the same when it is written plainly.
func checkLink(_ text: String) {
    let links = Link.parse(text)
    hold(links.count <= Link.linksMax, "links have their bound")
    for link in links {
        hold((1...Link.priorityLast).contains(link.priority), "a priority is a priority")
        hold(!link.target.contains(">"), "a target ends at its bracket")
        hold(link.relations.allSatisfy { !$0.isEmpty && !$0.contains(" ") }, "a relation is a word")
        let plain = "<\(link.target)>; rel=duplicate; pri=\(link.priority)"
        hold(Link.parse(plain).map(\.target) == [link.target], "a target reads as itself")
    }
}

/// A digest that was read has its algorithm's length; the strongest is one of them.
func checkStatedDigest(_ text: String) {
    for digests in [StatedDigest.parse(text), StatedDigest.parseInstance(text)] {
        for digest in digests {
            hold(digest.bytes.count == digest.algorithm.byteCount, "a sum has its length")
            let field = digest.algorithm.rawValue + "=:" + base64(digest.bytes) + ":"
            hold(StatedDigest.parse(field) == [digest], "a sum reads the same again")
        }
        let strongest = StatedDigest.strongest(of: digests)
        hold(strongest.map { digests.contains($0) } ?? digests.isEmpty, "the strongest is one of them")
    }
}

extension ResourceURL {
    /// Whether a URL that was parsed parses to itself.
    fileprivate static func isSame(_ url: ResourceURL) -> Bool {
        do throws(URLProblem) { return try parse(url.text).url == url } catch { return false }
    }
}
