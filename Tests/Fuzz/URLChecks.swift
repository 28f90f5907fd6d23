/// A URL that was accepted is in normal form: it parses to itself, and can be requested and written down as it is.
func checkURL(_ text: String) {
    guard let parsed = accepted({ () throws(URLProblem) in try ResourceURL.parse(text) }) else { return }
    checkNormal(parsed.url)
    let whole = parsed.text
    if whole.utf8.count <= ResourceURL.bytesMax {
        let again = accepted { () throws(URLProblem) in try ResourceURL.parse(whole) }
        hold(again == parsed, "the text with the user information parses to the same")
    }
}

/// Two lines: where it stands, and a reference in it.
func checkResolving(_ text: String) {
    let lines = text.split(separator: "\n", maxSplits: 1, omittingEmptySubsequences: false)
    guard lines.count == 2,
        let base = accepted({ () throws(URLProblem) in try ResourceURL.parse(String(lines[0])) })?.url,
        let target = accepted({ () throws(URLProblem) in try base.resolving(String(lines[1])) })
    else { return }
    checkNormal(target.url)
    let again = accepted { () throws(URLProblem) in try base.resolving(target.url.text) }
    hold(again?.url == target.url, "an absolute reference means itself everywhere")
}

private func checkNormal(_ url: ResourceURL) {
    hold(url.text.utf8.count <= ResourceURL.bytesMax, "a URL has its bound")
    hold(url.text.utf8.allSatisfy { $0 > 32 && $0 < 127 }, "a URL fits a request line")
    hold(!url.text.contains("#"), "a fragment is not sent")
    hold(!url.origin.contains("@"), "user information does not stay in a URL")
    hold(url.scheme == "http" || url.scheme == "https", "only two schemes are spoken")
    hold(!url.host.isEmpty && url.host == url.host.lowercased(), "a host is there, in lower case")
    hold((1...65_535).contains(url.port), "a port is a port")
    hold(url.text == url.origin + url.path + (url.query.map { "?" + $0 } ?? ""), "the parts make the whole")
    hold(url.path.hasPrefix("/"), "a path is absolute")
    let segments = url.path.split(separator: "/", omittingEmptySubsequences: false)
    hold(!segments.contains(".") && !segments.contains(".."), "a path goes straight")
    let again = accepted { () throws(URLProblem) in try ResourceURL.parse(url.text) }
    hold(again == ResourceURL.Parsed(url: url, userInformation: nil), "a URL parses to itself")

    let redacted = url.redacted
    hold(redacted.origin == url.origin, "redaction leaves the origin")
    hold(redacted.redacted == redacted, "what is redacted stays as it is")
    if let name = FileName.safe(redacted.lastPathComponent) { checkSafe(name, bytesMax: Destination.nameBytesMax) }
}

/// What a parser returns; nil where it refuses.
func accepted<Value, Problem: Error>(_ parse: () throws(Problem) -> Value) -> Value? {
    do throws(Problem) { return try parse() } catch { return nil }
}
