import LedgerModel
import LedgerTestSupport
import SystemPackage
import Testing

@testable import LedgerCommands

/// `ledger import`: lists of other programs and of this one.
struct ImportTests {
    /// As aria2 1.36 saves it.
    private static let session = """
        ftp://127.0.0.1:9/c\t
         gid=4c54885daffb997f
         dir=/tmp/a2
        magnet:?xt=urn:btih:248D0A1CD08284299DE78D5C1ED359BB46717D8C
         gid=80816c0cabcf82c5
        http://127.0.0.1:9/a.iso\thttp://127.0.0.1:9/b.iso\t
         gid=b862debd01856ea8
         pause=true
         max-tries=1
         out=x.iso
         split=3
         max-download-limit=20480
         allow-overwrite=true
         checksum=sha-256=0000000000000000000000000000000000000000000000000000000000000000
         force-save=true
         http-user=u
         http-passwd=p
         header=X-A: 1
         header=X-B: 2
        http://127.0.0.1:9/d.iso\t
         gid=b862debd01856ea9

        """

    @Test func `a session of aria2 is taken over, and what is not spoken here is refused by its line`() async throws {
        let shell = try Shell()
        try shell.write("aria2.session", Array(Self.session.utf8))
        let dry = await shell.run("import", "aria2.session", "--dry-run")
        #expect(dry.code == 1)
        #expect(
            dry.output
                == "2 downloads would be imported, or joined where the ledger has them, 2 refused\n", "\(dry.output)")
        #expect(await shell.run("list").code == 10, "nothing was made")
        let result = await shell.run("import", "-d", "out", "aria2.session")
        #expect(result.code == 1)
        #expect(result.output == "2 downloads imported, 2 refused\n")
        #expect(result.errors.contains("line 1 of 'aria2.session': 'ftp://127.0.0.1:9/c' can not be fetched"))
        #expect(result.errors.contains("line 4 of 'aria2.session': 'magnet:"))
        #expect(!result.errors.contains("warning"), "\(result.errors)")
        let rows = await shell.run("list", "--json").lines
        #expect(rows.count == 2)
        #expect(rows[0].contains(#""path":"\#(shell.directory.string)/out/x.iso","state":"paused""#), "\(rows[0])")
        #expect(rows[1].contains(#""state":"queued""#))
        let named = await shell.run("show", "1", "--json").output
        #expect(named.contains(#""identifier":"b862debd01856ea8""#), "the GID is what its owner knows it by: \(named)")
        let replay = await shell.run("replay", "--json", "-q", "--type", "enqueued,paused")
        #expect(replay.lines.count == 3, "enqueued and paused stand in one batch")
        let again = await shell.run("import", "-d", "out", "aria2.session", "--json")
        #expect(again.code == 1)
        #expect(again.output.contains(#""joined":true,"file":"aria2.session","line":6}"#), "\(again.output)")
        #expect(
            again.lines.last == #"{"summary":{"imported":0,"joined":2,"refused":2,"dryRun":false}}"#,
            "\(again.output)")
    }

    @Test func `of rows whose URLs give their files one name none is lost`() async throws {
        let (shell, other) = (try Shell(), try Shell())
        #expect(await shell.run("add", "-d", "out", "http://a/1/x.iso", "http://a/2/x.iso").code == 0)
        #expect(await shell.run("add", "-d", "out", "-o", "named", "http://a/3/x.iso").code == 0)
        let rows = await shell.run("list", "--json")
        try other.write("rows.jsonl", Array(rows.output.utf8))
        #expect(await other.run("import", "rows.jsonl").code == 0)
        let paths = rows.lines.map { $0.split(separator: ",")[2] }
        #expect(await other.run("list", "--json").lines.map { $0.split(separator: ",")[2] } == paths)
        #expect(paths.count == 3 && paths[2].hasSuffix(#"/out/named""#))
    }

    @Test func `rows say which names were asked for, and no other becomes one`() async throws {
        let (shell, other) = (try Shell(), try Shell())
        let origin = try await OriginServer.start()
        var entity = OriginEntity([1, 2, 3])
        entity.fields = [("Content-Disposition", "attachment; filename=sug.bin")]
        for path in ["/a", "/b", "/c"] { origin.serve(path, entity) }
        let urls = try ["/a", "/b", "/c"].map { try origin.url($0).text }
        #expect(await shell.run("add", "-q", "-d", "out", urls[0], urls[1]).code == 0)
        #expect(await shell.run("add", "-q", "-d", "out", "-o", "c", "--title", "one\u{2028}two", urls[2]).code == 0)
        #expect(await shell.run("run", "--until-idle", "-q").code == 0)
        let rows = await shell.run("list", "--json").output
        #expect(try shell.names(in: "out") == ["c", "sug (1).bin", "sug.bin"])
        try other.write("rows.jsonl", Array(rows.utf8))
        let report = await other.run("import", "rows.jsonl")
        #expect(report.code == 0 && report.output == "3 downloads imported\n", "\(report.output)\(report.errors)")
        for name in try shell.names(in: "out") { try shell.removeFile("out/" + name) }
        #expect(await other.run("run", "--until-idle", "-q").code == 0)
        #expect(try shell.names(in: "out") == ["c", "sug (1).bin", "sug.bin"])
        #expect(await other.run("list", "--json").output.contains(#""title":"one\#u{2028}two""#))
        try await origin.stop()
    }

    @Test func `two that were asked to have one name keep theirs`() async throws {
        let shell = try Shell()
        let rows = [
            #"{"url":"http://a/1","path":"/d/x.bin","output":"x.bin"}"#,
            #"{"url":"http://a/2","path":"/d/x (1).bin","output":"x.bin"}"#,
            #"{"url":"http://a/3","path":"/d/y","output":null}"#, #"{"url":"http://a/4","path":"z","output":null}"#,
        ]
        try shell.write("rows.jsonl", Array(rows.joined(separator: "\n").utf8))
        #expect(await shell.run("import", "rows.jsonl").code == 0)
        let list = await shell.run("list", "--json").lines
        let ends = [#"/d/x.bin""#, #"/d/x (1).bin""#, #"/d/3""#, #"/z""#]
        #expect(list.count == 4 && zip(list, ends).allSatisfy { $0.split(separator: ",")[2].hasSuffix($1) }, "\(list)")
    }

    @Test func `a row of a feed is taken back with what its entry is called`() async throws {
        let shell = try Shell()
        let entry = #""identifier":"guid-1","published":"2026-03-02T10:00:00.000Z""#
        try shell.write(
            "rows.jsonl",
            Array(
                """
                {"url":"http://a/1",\(entry),"usedAt":"2026-03-03T10:00:00.000Z","pinned":true,"state":"paused"}
                {"url":"http://a/2","published":"yesterday"}
                """.utf8))
        let report = await shell.run("import", "rows.jsonl")
        #expect(report.code == 1)
        #expect(report.errors.contains("'published' is no instant: 'yesterday'"), "\(report.errors)")
        let rows = await shell.run("list", "--json").output
        #expect(rows.contains(entry), "\(rows)")
    }

    @Test func `a row is taken back with what its file must be`() async throws {
        let (shell, other) = (try Shell(), try Shell())
        let checksum = "sha-256:" + String(repeating: "0f", count: 32)
        #expect(await shell.run("add", "http://a/1", "--checksum", checksum).code == 0)
        let rows = await shell.run("list", "--json").output
        #expect(rows.hasSuffix(#","output":null,"checksum":"\#(checksum)","options":{}}\#n"#), "\(rows)")
        try other.write("rows.jsonl", Array(rows.utf8))
        #expect(await other.run("import", "rows.jsonl").code == 0)
        #expect(await other.run("list", "--json").output.contains(checksum))
    }

    @Test func `a row is taken back with how it is to be fetched, but for what is secret`() async throws {
        let (shell, other) = (try Shell(), try Shell())
        let added = await shell.run(
            "add", "http://a/1", "--mirror", "http://b/1", "--mirror", "http://c/1", "-s4", "--limit-rate", "10K",
            "--retries", "0", "--timeout", "1500ms", "--window", "22:00-06:00", "--not-before", "2033-01-02T03:04:05Z",
            "--overwrite", "--remote-time", "--decompress", "--expect-type", "video/*", "--http2", "--user-agent",
            "a b",
            "--forward-headers", "--allow-downgrade", "--resume-unvalidated", "--checksum-file", "http://a/sums",
            "--proxy", "http://127.0.0.1:9", "--no-proxy", "b", "-H", "X-Key: hidden-value")
        #expect(added.code == 0, "\(added)")
        let rows = await shell.run("list", "--json").output
        try other.write("rows.jsonl", Array(rows.utf8))
        let report = await other.run("import", "rows.jsonl")
        #expect(report.code == 0, "\(report)")
        #expect(report.errors.contains("1 download of 'rows.jsonl' had headers whose values no row holds"), "\(report)")
        let taken = await other.run("list", "--json").output
        func options(_ rows: String) throws -> String {
            let name = try #require(rows.firstRange(of: #""options":"#))
            return String(rows[name.upperBound...])
        }
        let asked = try options(rows).replacing(#""headerNames":["X-Key"],"#, with: "")
        #expect(try options(taken) == asked, "\(taken)")
        #expect(asked.split(separator: #"":"#).count > 18 && !rows.contains("hidden-value"), "\(rows)")
        let shown = await shell.run("show", "1").output
        for words in ["mirror http://b/1", "mirror http://c/1", "split 4", "limitRate 10.0 KiB/s", "http2"] {
            #expect(shown.contains("option       \(words)\n"), "\(words): \(shown)")
        }
        #expect(!shown.contains("tried again") && shown.contains("begins       2033-01-02"), "\(shown)")
        let line = await shell.run("replay", "--id", "1").output
        #expect(line.contains("/, mirror http://b/1, mirror http://c/1, header X-Key, its value kept"), "\(line)")
    }

    @Test func `of a row that is refused nobody is asked for headers`() async throws {
        let shell = try Shell()
        let line = #"{"url":"ftp://a/b","options":{"headerNames":["X-Key"]}}"#
        let result = await shell.run("import", "-", input: line)
        #expect(result.code == 1 && !result.errors.contains("had headers whose values no row holds"), "\(result)")
    }

    @Test func `a finished row with a file of checksums is taken back`() async throws {
        let shell = try Shell()
        let digest = "sha-256:" + String(repeating: "0f", count: 32)
        let options = #""checksum":null,"options":{"checksumFile":"http://a/sums"}"#
        let line = #"{"url":"http://a/b","state":"completed","digest":"\#(digest)",\#(options)}"#
        let result = await shell.run("import", "-", input: line)
        #expect(result.code == 0, "\(result)")
        #expect(await shell.run("list", "--json").output.contains(#""checksumFile":"http://a/sums""#))
    }

    @Test(arguments: [#""options":4"#, #""options":{"colour":"red"}"#, #""options":{"expectLength":"much"}"#])
    func `an option of a row that is none is refused`(_ member: String) async throws {
        let shell = try Shell()
        let result = await shell.run("import", "-", input: #"{"url":"http://a/b",\#(member)}"#)
        #expect(result.code == 1 && result.errors.contains("line 1 of '-'"), "\(result)")
    }

    /// Left out in silence, a download would run unchecked, or without its limit.
    @Test(arguments: [
        #""checksum":{"sha-256":"00"}"#, #""checksum":"sha-256=00\ud800""#, #""limitRate":1e400"#, #""title":"\x""#,
        #""title":["a","b"]"#, #""tags":[1,null]"#, #""group":{}"#, #""options":{"limitRate":1e999}"#,
        #""mirrors":[{"url":"http://a/c"}]"#, "\"title\":\"a\u{0}b\"",
    ])
    func `a member that can not be what it says is refused, and not left out`(_ member: String) async throws {
        let shell = try Shell()
        let result = await shell.run("import", "-", input: #"{"url":"http://a/b",\#(member)}"#)
        #expect(result.code == 1 && result.errors.contains("line 1 of '-'"), "\(result)")
        #expect(await shell.run("list").output == "")
    }

    @Test func `a line takes as many words as fit into an order, in no time`() async throws {
        let shell = try Shell()
        let tags = (0..<20_000).map { "\"t\($0)\"" }.joined(separator: ",")
        let refused = await shell.run("import", "-", input: #"{"url":"http://a/b","tags":[\#(tags)]}"#)
        #expect(refused.code == 1 && refused.errors.contains("32768"), "\(refused)")
        let few = await shell.run("import", "-", input: #"{"url":"http://a/b","tags":["x","y"],"priority":1e1}"#)
        #expect(few.code == 0, "\(few)")
        #expect(await shell.run("list", "--json").output.contains(#""tags":["x","y"],"priority":10"#))
    }

    /// As a shell's `<(...)` names it.
    @Test(arguments: [["import"], ["add", "-i"]])
    func `a list that comes through a pipe is read to its end`(_ command: [String]) async throws {
        let shell = try Shell()
        let pipe = try FileDescriptor.pipe()
        try pipe.writeEnd.closeAfter { _ = try pipe.writeEnd.writeAll("http://a/1\nhttp://a/2\n".utf8) }
        let result = await shell.run(command + ["/dev/fd/\(pipe.readEnd.rawValue)"])
        try pipe.readEnd.close()
        #expect(result.code == 0, "\(result)")
        #expect(await shell.run("list", "--json").lines.count == 2)
    }

    @Test func `an empty word in a line is none`() async throws {
        let shell = try Shell()
        let line = #"{"url":"http://a/1","group":"","title":"","tags":["",""],"checksum":""}"#
        try shell.write("rows.jsonl", Array(line.utf8))
        let report = await shell.run("import", "rows.jsonl")
        #expect(report.code == 0, "\(report.errors)")
        #expect(await shell.run("list", "--json").output.contains(#""group":null,"title":null"#))
    }

    @Test func `rows and requests in JSON are taken, with the line of each that can not be`() async throws {
        let shell = try Shell()
        let path = shell.directory.string + "/a2/z.iso"
        let sum = "md5:" + String(repeating: "ab", count: 16)
        let sha256 = String(repeating: "cd", count: 32)
        let lines = """
            {"url":"http://127.0.0.1:9/a","group":"G","tags":["x","y"],"priority":3,"state":"failed","error":null}

            {"url":"http://127.0.0.1:9/b","path":"\(path)","state":"paused","checksum":null,"digest":"\(sum)"}
            {"url":"http://127.0.0.1:9/c","userAgent":"T/1","header":["X-A: 1"],"overwrite":true,"limitRate":4096,\
            "digest":"sha-256:\(sha256)","checksum":"\(sum)"}
            {"url":"http://127.0.0.1:9/d","colour":"red"}
            {"url":"nonsense"}
            {"title":"no URL"}
            {"url":"http://127.0.0.1:9/e","inputFile":"/etc/passwd"}
            nonsense
            """
        let result = await shell.run("import", "-", "-d", "out", "--json", input: lines)
        #expect(result.code == 1)
        #expect(
            result.lines.last == #"{"summary":{"imported":3,"joined":0,"refused":5,"dryRun":false}}"#,
            "\(result.output)")
        for line in 5...9 { #expect(result.errors.contains("line \(line) of '-': "), "line \(line): \(result.errors)") }
        let rows = await shell.run("list", "--json").lines
        #expect(rows.count == 3)
        #expect(rows[0].contains(#""state":"queued""#) && rows[0].contains(#""group":"G""#))
        #expect(rows[0].contains(#""tags":["x","y"],"priority":3"#), "\(rows[0])")
        #expect(rows[1].contains(#""path":"\#(path)","state":"paused""#), "\(rows[1])")
        for row in rows[1...] { #expect(row.contains(#""checksum":"\#(sum)""#), "\(row)") }
        let events = await shell.run("replay", "--json", "-q").output
        #expect(events.contains(#""userAgent":"T/1""#) && events.contains("4096"), "\(events)")
        #expect(!events.contains("X-A: 1"), "a header's value is a secret")
    }

    @Test func `a row whose URL was written down without its secrets is refused`() async throws {
        let shell = try Shell()
        for url in ["http://127.0.0.1:9/a?token=hidden", "http://127.0.0.1:9/REDACTED.pdf"] {
            #expect(await shell.run("add", "-d", "out", url).code == 0)
        }
        let rows = await shell.run("list", "--json").output
        let result = await shell.run("import", "-", input: rows, environment: ["LEDGER_HOME": shell.home.string + "2"])
        #expect(result.code == 1 && result.output == "1 download imported, 1 refused\n", "\(result)")
        #expect(result.errors.contains("line 1 of '-': a URL in it was written down without its secrets"), "\(result)")
        for member in [#""mirror":["http://a/b?token=REDACTED"]"#, #""checksumFile":"http://a/s?sig=REDACTED""#] {
            let mixed = await shell.run("import", "-", input: #"{"url":"http://a/b","# + member + "}")
            #expect(mixed.code == 1 && mixed.errors.contains("was written down without its secrets"), "\(mixed)")
        }
    }

    @Test func `what this program lists it takes back`() async throws {
        let shell = try Shell()
        for name in ["a", "b"] { #expect(await shell.run("add", "-d", "out", "http://127.0.0.1:9/\(name)").code == 0) }
        let rows = await shell.run("list", "--json").output
        let result = await shell.run("import", "-", input: rows, environment: ["LEDGER_HOME": shell.home.string + "2"])
        #expect(result.code == 0, "\(result.errors)")
        #expect(result.output == "2 downloads imported\n")
    }
}
