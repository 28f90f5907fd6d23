/// What a list of checksums says of a file is one of its sums, and as long as its algorithm makes it.
func checkChecksumList(_ bytes: [UInt8]) {
    let list = ChecksumList(parsing: bytes)
    hold(list.entries.count <= bytes.count / 32, "a sum takes its digits")
    for entry in list.entries {
        hold(entry.digest.bytes.count == entry.digest.algorithm.byteCount, "a sum has its length")
    }
    for path in list.entries.prefix(20).compactMap(\.path) + ["a/b.iso"] {
        do throws(ChecksumList.Problem) {
            let digest = try list.digest(of: path, named: nil)
            hold(list.entries.contains { $0.digest == digest }, "a sum that was found stands there")
        } catch {
            hold(error != .empty || list.entries.isEmpty, "a list with sums is not empty")
        }
    }
}

/// Cookies go to whom the file names, within their bound, and never bring another field along.
func checkCookieFile(_ text: String) {
    let now = Timestamp(milliseconds: 1_700_000_000_000)
    guard let jar = CookieFile(parsing: text, now: now) else { return }
    for url in ["https://h.example/p/q", "http://h.example/", "http://a.test/"].map(ResourceURL.init(recorded:)) {
        guard let field = jar.field(for: url) else { continue }
        hold(!field.isEmpty && field.utf8.count <= CookieFile.fieldBytesMax, "a field has its bound")
        hold(field.utf8.allSatisfy { $0 > 31 && $0 != 127 }, "a field is one line")
        let isNamed = text.lowercased().contains(url.host.split(separator: ".").last ?? "")
        hold(isNamed, "a cookie goes to whom the file names")
    }
}

/// A password goes to whom the file names, or to everybody where it says so.
func checkNetrc(_ text: String) {
    let netrc: Netrc
    do throws(Netrc.SyntaxError) {
        netrc = try Netrc(parsing: text)
    } catch {
        hold(error.line >= 1, "an error has its line")
        return
    }
    // A word in quotes may be written in other ways.
    let isForAll = text.contains("default") || text.contains("\\")
    for host in ["h.example", "a.test"] {
        guard let credentials = netrc.credentials(for: host) else { continue }
        hold(credentials.contains(":"), "credentials have a colon")
        hold(isForAll || text.lowercased().contains(host), "a password goes to whom the file names")
        let login = String(credentials.prefix { $0 != ":" })
        if let again = netrc.credentials(for: host, login: login) { hold(again.hasPrefix(login), "and is the login's") }
    }
}
