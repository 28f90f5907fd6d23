import LedgerViews
import SystemPackage
import Testing

@testable import LedgerCommands

/// Values that can not be: each told in words that say what may stand there, with exit code 64; nothing is recorded.
struct BadValueTests {
    static let rows: [([String], String)] = [
        (["add", "http://a/x", "--retries", "-1"], "it should be a whole number from 0 to 4294967295"),
        (["add", "http://a/x", "--retries", "1.5"], "it should be a whole number from 0 to 4294967295"),
        (["add", "http://a/x", "--priority", "2147483648"], "a whole number from -2147483648 to 2147483647"),
        (["add", "http://a/x", "--limit-rate", "-5"], "it should be a number of bytes such as 4096, 500K or 2M"),
        (["add", "http://a/x", "--limit-rate", "99999999T"], "it should be a number of bytes such as"),
        (["add", "http://a/x", "--timeout", "0"], "it should be a length of time from 1ms to 49d"),
        (["add", "http://a/x", "--timeout", "nan"], "it should be a length of time from 1ms to 49d"),
        (["add", "http://a/x", "--timeout", "inf"], "it should be a length of time from 1ms to 49d"),
        (["add", "http://a/x", "--timeout", "1e999"], "it should be a length of time from 1ms to 49d"),
        (["add", "http://a/x", "--timeout", "50d"], "it should be a length of time from 1ms to 49d"),
        (["add", "http://a/x", "--not-before", "soon"], "it should be a time such as 2026-03-02T10:00:00Z"),
        (["get", "http://a/x", "--jobs", "0"], "it should be a whole number from 1 to 1024"),
        (["get", "http://a/x", "-j", "-3"], "it should be a whole number from 1 to 1024"),
        (["run", "-j2x", "-d", "x"], "The value '2x' is invalid for '-j <n>'"),
        (["run", "--per-host", "99999"], "it should be a whole number from 1 to 1024"),
        (["run", "--max-rate", "all"], "it should be a number of bytes such as"),
        (["list", "--limit", "-1"], "it should be a whole number from 0 to "),
        (["list", "--at", "now"], "it should be the number of an event, a time such as"),
        (["list", "--at", "-1"], "it should be the number of an event, a time such as"),
        (["list", "--sort", "colour"], "Please provide one of"),
        (["list", "--kind", "virus"], "Please provide one of"),
        (["list", "--state", "asleep"], "Please provide one of"),
        (["show", "0"], "it should be the number of a download, 1 or more"),
        (["show", "99999999999999999999"], "it should be the number of a download"),
        (["pause", "one"], "it should be the number of a download"),
        (["pause", "1-3"], "it should be the number of a download"), (["pause", "-1"], "Say which downloads: ids"),
        (["list", "--home", ""], "'--home' names no directory"),
        (["delete", "--search", ""], "There is no word in '--search'"),
        (["delete", "--group", "a", "--group", "b"], "Give '--group' once"),
        (["delete", "--search", " ", "--state", "failed"], "There is no word in '--search'"),
        (["move", "1", "--to", "0"], "it should be first, last, or a whole number from 1 on"),
        (["move", "1", "--to", "-2"], "it should be first, last, or a whole number from 1 on"),
        (["undo", "x"], "it should be the number of an event, 1 or more"),
        (["replay", "--from", "x"], "it should be the number of an event, a time such as"),
        (["replay", "--id", "-7"], "it should be the number of a download"),
        (["compact", "--keep-events", "-1"], "it should be a whole number from 0 to"),
        (["compact", "--keep", "90"], "it should have a unit, such as 90d"),
        (["keep", "radio", "--newest", "0"], "it should be a whole number from 1 to 4294967295"),
        (["keep", "radio", "--newest", "-1"], "it should be a whole number from 1 to 4294967295"),
        (["keep", "", "--newest", "2"], "The group has no name"),
        (["keep", " ", "--newest", "2"], "The group has no name"),
        (["backup", ""], "The backup's directory has no name"),
        (["get", "-d", "", "http://h/f"], "'-d' names no directory"),
        (["add", ""], "bad-url: the URL is empty"), (["add", "http://a/\nb"], "the URL holds a control character"),
        (["add", "http://a:0/"], "names a port that can not be: '0'"),
        (["add", "http://[::g]/"], "a host that can not"),
        (["add", "http://a/x", "-o", ""], "names a directory"),
        (["add", "http://a/x", "-o", ".."], "is not a file name"),
        (["get", "http://a/x", "-o", "-"], "nothing is written to standard output"),
        (["get", "http://a/x", "-o", "/dev"], "'/dev' is a directory\n  next:  use '-d' for it"),
        (["get", "http://a/x", "-o", "/dev/null"], "'/dev/null' is a device, a pipe or a socket"),
        (["add", "http://a/x", "-o", "/dev/stdout"], "'/dev/stdout' is a device, a pipe or a socket"),
        (["add", "http://a/x", "--user-agent", "a\r\nX: y"], "'User-Agent' is not the start of a header"),
        (["add", "http://a/x", "--user", "ada"], "'--user' holds no colon"),
        (
            ["add", "http://a/x", "--checksum", "md5=0", "--checksum", "sha-1=0", "--checksum-file", "http://a/s"],
            "what the file must hash to is said 3 times"
        ), (["add", "-i", "."], "the input file '.' is a directory\n  next:  give a file"),
        (["add", "-i", "none.txt"], "the input file 'none.txt' can not be found\n  next:  give the file's path"),
    ]

    @Test(arguments: rows) func `a bad value is told in words`(_ arguments: [String], _ words: String) async throws {
        let shell = try Shell()
        let result = await shell.run(arguments)
        #expect(result.code == 64, "\(arguments): \(result.errors)")
        #expect(result.errors.contains(words), "\(arguments): \(result.errors)")
        #expect(result.output == "")
        #expect(try shell.names(in: ".") == [])
    }

    @Test func `negative numbers are values where they may be`() async throws {
        let shell = try Shell()
        let add = await shell.run("add", "http://a/x", "--priority", "-5", "--json")
        #expect(add.code == 0 && add.output.contains(#""priority":-5"#), "\(add.errors)")
        let move = await shell.run("move", "1", "--priority", "-6")
        #expect(move.code == 0, "\(move.errors)")
    }

    static let configurations: [(String, String)] = [
        ("jobs: 0\n", "'jobs' in 'CONFIG' is '0' and should be a whole number from 1 to 1024"),
        ("timeout: 0\n", "'timeout' in 'CONFIG' is '0' and should be a length of time from 1ms to 49d"),
        ("colour: red\n", "the configuration 'CONFIG' holds 'colour', which is no setting"),
        ("proxy:\n  url: x\n", "the configuration 'CONFIG' holds 'proxy.url', which is no setting"),
        ("dir: [a, b]\n", "'dir' in 'CONFIG' is a list and should be one value"),
        ("proxy: ftp://eve:s3cret@p/\n", "'proxy' in 'CONFIG' is 'ftp://…@p/' and should be a proxy such as"),
        ("jobs: [\n", "the configuration 'CONFIG' can not be read"),
        ("just words\n", "the configuration 'CONFIG' can not be read"),
    ]

    @Test(arguments: configurations) func `a bad configuration names the setting and the file`(
        _ text: String, _ words: String
    ) async throws {
        let shell = try Shell()
        #expect(await shell.run("add", "http://a/x").code == 0)
        try shell.write("home/config.yaml", Array(text.utf8))
        let result = await shell.run("pause", "1")
        let expected = words.replacing("CONFIG", with: shell.home.appending("config.yaml").string)
        #expect(result.code == 64)
        #expect(result.errors.hasPrefix("usage: " + expected), "\(result.errors)")
        #expect(result.errors.contains("\n  next:  ") && !result.errors.contains("s3cret"))
    }

    @Test func `a configuration without a setting is one`() async throws {
        let shell = try Shell()
        #expect(await shell.run("add", "http://a/x").code == 0)
        for text in ["", "# nothing\n", "---\n", "{}\n"] {
            try shell.write("home/config.yaml", Array(text.utf8))
            let result = await shell.run("list")
            #expect(result.code == 0, "'\(text)': \(result.errors)")
        }
    }

    @Test(arguments: ["JOBS": "many", "PER_HOST": "-1", "MAX_RATE": "x", "LIMIT_RATE": "-1", "RETRIES": "x"])
    func `a bad variable names the setting and the environment`(name: String, value: String) async throws {
        let shell = try Shell()
        let result = await shell.run(["add", "http://a/x"], environment: ["LEDGER_" + name: value])
        #expect(result.code == 64)
        #expect(result.errors.contains(" in the environment is '\(value)' and should be a"), "\(result.errors)")
        #expect(try shell.names(in: ".") == [])
    }
}
