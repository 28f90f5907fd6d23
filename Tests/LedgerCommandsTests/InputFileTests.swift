import LedgerAPI
import LedgerModel
import LedgerViews
import Testing

@testable import LedgerCommands

struct InputFileTests {
    private func request() -> EnqueueRequest {
        EnqueueRequest(url: "", directory: "/base", command: CommandID(high: 0, low: 1))
    }

    private func problem(_ text: String) -> InputFile.SyntaxError? {
        do throws(InputFile.SyntaxError) {
            for item in try InputFile(parsing: text).items {
                var request = request()
                _ = try item.apply(to: &request, directory: "/cwd")
            }
            return nil
        } catch { return error }
    }

    @Test(arguments: ["\n", "\r\n", "\r", "\u{0B}", "\u{0C}", "\u{85}", "\u{2028}", "\u{2029}"])
    func `a line ends as lines of Unicode text do`(end: String) throws {
        let text = "\u{FEFF}http://a/1\(end) out=x\(end)\(end)\u{301}http://a/2"
        let file = try InputFile(parsing: text)
        #expect(file.items.map(\.urls) == [["http://a/1"], ["\u{301}http://a/2"]])
        #expect(file.items.map(\.line) == [1, 4] && file.items[0].options.map(\.line) == [2])
    }

    @Test func `URLs, mirrors, options, comments and empty lines are told apart`() throws {
        let file = try InputFile(
            parsing: """
                # a list
                http://a/1\thttp://b/1
                  out=one.iso
                \tdir=/data

                #  out=not this
                http://a/2
                """)
        #expect(file.items.map(\.urls) == [["http://a/1", "http://b/1"], ["http://a/2"]])
        #expect(file.items.map(\.line) == [2, 7])
        #expect(
            file.items[0].options == [
                .init(name: "out", value: "one.iso", line: 3), .init(name: "dir", value: "/data", line: 4),
            ])
        #expect(file.items[1].options.isEmpty)
    }

    @Test func `line ends of Windows and a missing last one are fine`() throws {
        let file = try InputFile(parsing: "http://a/1\r\n out=x\r\nhttp://a/2")
        #expect(file.items.map(\.urls) == [["http://a/1"], ["http://a/2"]])
        #expect(file.items[0].options.map(\.value) == ["x"])
    }

    @Test func `a byte-order mark and comments behind white space are passed over`() throws {
        let file = try InputFile(parsing: "\u{FEFF}http://a/1\r\n # none\r\n out=x\r\n\t\r\n")
        #expect(file.items.map(\.urls) == [["http://a/1"]])
        #expect(file.items[0].options.map(\.value) == ["x"])
    }

    @Test func `a combining mark hides neither white space nor a sign`() throws {
        let file = try InputFile(parsing: "http://a/1\n \u{301}out=\u{301}x\n#\u{301} none\n")
        #expect(file.items.map(\.urls) == [["http://a/1"]])
        #expect(file.items[0].options.map(\.name) == ["\u{301}out"])
        #expect(file.items[0].options.map(\.value) == ["\u{301}x"])
    }

    @Test func `what would change the download is not left out in silence`() throws {
        let file = try InputFile(
            parsing: "http://u:p@a/1\n referer=*\n auto-file-renaming=true\n auto-file-renaming=false\n dry-run=true\n")
        var made = request()
        #expect(
            try file.items[0].apply(to: &made, directory: "/cwd").leftOut == [
                "line 5: the option 'dry-run' is not known here; left out"
            ])
        #expect(made.collision == .refuse)
        #expect(made.headers == [.init(name: "Referer", value: "http://a/1")])
    }

    @Test func `every known option is taken into account`() throws {
        let file = try InputFile(
            parsing: """
                http://a/1\thttp://b/1
                 out=sub/one.iso
                 dir=files
                 header=Accept: text/plain
                 header=X-Key:v
                 checksum=sha-256=\(String(repeating: "ab", count: 32))
                 user-agent=Tester/1
                 http-user=ada
                 http-passwd=secret
                 max-download-limit=20K
                 max-tries=3
                 timeout=10
                 allow-overwrite=true
                 check-certificate=false
                 all-proxy=http://127.0.0.1:3128
                 group=G
                 priority=-2
                 pause=true
                 conditional-get=true
                 http-accept-gzip=true
                 http-no-cache=true
                """)
        var made = request()
        #expect(try file.items[0].apply(to: &made, directory: "/cwd") == [])
        var expected = request()
        expected.url = "http://a/1"
        expected.mirrors = ["http://b/1"]
        expected.directory = "/cwd/files/sub"
        expected.name = "one.iso"
        expected.headers = [.init(name: "Accept", value: "text/plain"), .init(name: "X-Key", value: "v")]
        expected.headers += ["Cache-Control", "Pragma"].map { .init(name: $0, value: "no-cache") }
        (expected.isPaused, expected.ifModified, expected.decompresses) = (true, true, true)
        expected.checksum = "sha-256=" + String(repeating: "ab", count: 32)
        expected.userAgent = "Tester/1"
        expected.credentials = "ada:secret"
        expected.bytesPerSecondMax = 20_480
        expected.retriesMax = 2
        expected.silenceMillisecondsMax = 10_000
        expected.collision = .overwrite
        expected.isInsecure = true
        expected.proxy = "http://127.0.0.1:3128"
        expected.group = "G"
        expected.priority = -2
        #expect(made == expected)
    }

    @Test func `an unknown option is a warning that names line and option, aria2's own are passed over`() throws {
        let file = try InputFile(parsing: "http://a/1\n gid=0123456789abcdef\n colour=red\n split=5\n")
        var made = request()
        let warnings = try file.items[0].apply(to: &made, directory: "/cwd").leftOut
        #expect(warnings == ["line 3: the option 'colour' is not known here; left out"])
    }

    @Test(arguments: [
        (2, "lines 2, 4: the option 'colour' is not known here; left out"),
        (3, "lines 2, 4, 6: the option 'colour' is not known here; left out"),
        (2_003, "lines 2, 4, 6 and 2000 more: the option 'colour' is not known here; left out"),
    ])
    func `one that many downloads have is one warning`(count: Int, warning: String) throws {
        let file = try InputFile(parsing: String(repeating: "http://a/1\n colour=red\n", count: count))
        var made = request()
        let unknown = try file.items.flatMap { try $0.apply(to: &made, directory: "/cwd") }
        #expect(unknown.leftOut == [warning])
    }

    @Test(arguments: [("8", "2", 2), ("3", "16", 3), ("99", "99", TransferOptions.rangesMax)])
    func `ranges are as many as both options allow`(split: String, each: String, ranges: UInt32) throws {
        let file = try InputFile(parsing: "http://a/1\n max-connection-per-server=\(each)\n split=\(split)\n")
        var made = request()
        #expect(try file.items[0].apply(to: &made, directory: "/cwd") == [] && made.rangesMax == ranges)
    }

    @Test func `what only steers aria2, or asks for what is done anyway, is passed over`() throws {
        let file = try InputFile(
            parsing: """
                http://a/1
                 bt-tracker=udp://x
                 ftp-pasv=true
                 dry-run=false
                 lowest-speed-limit=0
                 metalink-language=de
                 retry-wait=3
                 auto-file-renaming=true
                http://a/2
                 parameterized-uri=true
                 lowest-speed-limit=1K
                 hash-check-only=true
                """)
        var made = request()
        #expect(try file.items[0].apply(to: &made, directory: "/cwd") == [])
        let warnings = try file.items[1].apply(to: &made, directory: "/cwd").leftOut
        #expect(warnings.count == 3)
        #expect(warnings.first == "line 10: the option 'parameterized-uri' is not known here; left out")
    }

    static let mistakes: [Row<InputFile.SyntaxError>] = [
        Row(" out=x\nhttp://a/1", .init(line: 1, reason: "an option stands before any URL")),
        Row("http://a/1\n out", .init(line: 2, reason: "an option is NAME=VALUE")),
        Row("http://a/1\n max-download-limit=fast", .init(line: 2, reason: "'max-download-limit=fast' is not a rate")),
        Row("http://a/1\n\n timeout=x", .init(line: 3, reason: "'timeout=x' is not a length of time")),
        Row("http://a/1\n max-tries=x", .init(line: 2, reason: "'max-tries=x' is not a number")),
        Row(
            "http://a/1\n allow-overwrite=yes",
            .init(line: 2, reason: "'allow-overwrite=yes' is neither true nor false")),
        Row("http://a/1\n header=Key secret", .init(line: 2, reason: "a header is NAME: VALUE, and this one is not")),
        Row(
            "http://a/1\n#\nhttp://b/" + String(repeating: "x", count: 70_000),
            .init(line: 3, reason: "it is 70009 bytes long, and 65536 are the most")),
    ]

    @Test(arguments: mistakes) func `a mistake names its line`(row: Row<InputFile.SyntaxError>) {
        #expect(problem(row.text) == row.expected, sourceLocation: row.location)
    }
}
