/// Rows 31 to 33: names that servers suggest.
extension Catalogue {
    static let names = [escaping, forms, hidden, unusual].flatMap { $0 }

    private static let inside = "a safe name inside the directory"

    private static let escaping = [
        named("31-dotdot", "../../", "\"../../etc/x.bin\"", inside, ["x.bin"]),
        named("31-absolute", "an absolute path", "\"/etc/passwd\"", inside, ["passwd"]),
        named("31-backslashes", "..\\ twice", "\"..\\\\..\\\\evil.exe\"", inside, ["evil.exe"]),
        named("31-drive", "a drive letter", "\"C:evil.exe\"", inside, ["C_evil.exe"]),
        named("31-encoded-slashes", "encoded slashes", "\"..%2F..%2Fevil.bin\"", inside, ["evil.bin"]),
        named("31-nul", "an encoded NUL", "\"a%00b.bin\"", inside, ["a_b.bin"]),
        named("31-control", "an encoded line break and bell", "\"a%0A%07b.bin\"", inside, ["a__b.bin"]),
        named("31-only-dots", "`..` alone", "\"..\"", inside, []),
        named("31-empty", "nothing", "\"\"", inside, []),
    ]

    private static let forms = [
        raw(
            "31-extended", "`filename*` with ../ in it", "attachment; filename*=UTF-8''..%2F..%2Fevil.bin", inside,
            ["evil.bin"]),
        raw(
            "31-both-forms", "`filename` and `filename*`",
            "attachment; filename=\"plain.txt\"; filename*=UTF-8''na%C3%AFve.txt", "`filename*` first", ["naïve.txt"]),
        raw(
            "31-latin-1", "`filename*` in Latin-1", "attachment; filename*=ISO-8859-1''na%EFve.txt", inside,
            ["naïve.txt"]),
    ]

    private static let hidden = [
        named("32-dot", "a name that starts with a dot", "\".bashrc\"", "prefixed, not hidden", ["_.bashrc"]),
        named("32-hyphen", "a name that looks like a flag", "\"-rf.bin\"", "prefixed", ["_-rf.bin"]),
        named("32-device", "a device name of Windows", "\"CON.txt\"", "prefixed", ["_CON.txt"]),
        OriginCase("32-dot-in-url", "a URL whose last part starts with a dot", right: "prefixed, not hidden") {
            $0.serve(.v1)
        }.with {
            $0.result = .name
            $0.fileName = ".profile"
            $0.names = ["_.profile"]
        },
    ]

    private static let unusual = [
        named(
            "33-long", "a name of 300 characters, 600 bytes",
            "\"" + String(repeating: "ü", count: 300) + ".tar.gz\"",
            "shortened on a character boundary, the extension kept",
            [String(repeating: "ü", count: 96) + ".tar.gz"]),
        OriginCase("33-not-utf8", "a name that is not UTF-8", right: inside) { _ in
            let body = CaseFile.v1.bytes
            let start = "HTTP/1.1 200 OK\r\nContent-Length: \(body.count)\r\n"
            let field = Array("Content-Disposition: attachment; filename=\"a".utf8) + [0xFF, 0xFE]
            return OriginReply(steps: [
                .bytes(Array(start.utf8) + field + Array("b.bin\"\r\n\r\n".utf8)), .bytes(body),
            ])
        }.with {
            $0.result = .name
            $0.fileName = "file.bin"
        },
    ]

    private static func named(
        _ slug: String, _ what: String, _ value: String, _ right: String, _ names: [String]
    ) -> OriginCase {
        raw(slug, what, "attachment; filename=" + value, right, names)
    }

    /// The URL's own name is right too: nobody must believe a server's suggestion.
    private static func raw(
        _ slug: String, _ what: String, _ disposition: String, _ right: String, _ names: [String]
    ) -> OriginCase {
        OriginCase(slug, "Content-Disposition: " + what, right: right) {
            $0.serve(.v1) { $0.fields = [("Content-Disposition", disposition)] }
        }.with {
            $0.result = .name
            $0.fileName = "file.bin"
            $0.names = names + ["file.bin"]
        }
    }
}
