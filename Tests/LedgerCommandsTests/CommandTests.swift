import LedgerModel
import LedgerSystem
import LedgerTestSupport
import SystemPackage
import Testing

@testable import LedgerCommands

/// Commands from their arguments to their exit code, on a real disk and against an origin on a real socket.
struct CommandTests {
    private let file = OriginEntity(OriginEntity.pattern(20_000))

    private func origin() async throws -> OriginServer {
        let origin = try await OriginServer.start()
        let file = file
        for path in ["/a.bin", "/b.bin", "/c.bin"] { origin.on(path) { file.reply(to: $0) } }
        return origin
    }

    @Test func `get brings files, prints a row for each and leaves with 0`() async throws {
        let (shell, origin) = (try Shell(), try await origin())
        let result = await shell.run(
            "get", "--json", "-d", "out", try origin.url("/a.bin").text, try origin.url("/b.bin").text)
        #expect(result.code == 0, "\(result.errors)")
        #expect(result.lines.count == 2)
        #expect(result.lines.allSatisfy { $0.contains(#""state":"completed","size":20000,"received":20000"#) })
        #expect(try shell.contents("out/a.bin") == file.bytes)
        #expect(try shell.contents("out/b.bin") == file.bytes)
        #expect(result.errors.hasSuffix("2 of 2 downloads completed\n"))
        try await origin.stop()
    }

    @Test func `a completed file is not fetched again, unless it is asked for`() async throws {
        let (shell, origin) = (try Shell(), try await origin())
        let url = try origin.url("/a.bin").text
        for _ in 1...2 { #expect(await shell.run("get", "-d", "out", url).code == 0) }
        #expect(origin.requests.count == 1)
        #expect(await shell.run("get", "--again", "-d", "out", url).code == 0)
        #expect(origin.requests.count == 2)
        #expect(try shell.names(in: "out") == ["a (1).bin", "a.bin"])
        try await origin.stop()
    }

    @Test func `a download that fails for good is told with its reason and exit code 1`() async throws {
        let (shell, origin) = (try Shell(), try await origin())
        let result = await shell.run("get", "-q", "-d", "out", try origin.url("/none").text)
        #expect(result.code == 1)
        #expect(result.errors == "[1/1] download 1 failed: the origin answered 404 Not Found\n", "\(result.errors)")
        let list = await shell.run("list", "--state", "failed", "--json")
        #expect(list.output.contains(#""error":{"code":"status","message":"#))
        try await origin.stop()
    }

    @Test func `what add enqueues run works off`() async throws {
        let (shell, origin) = (try Shell(), try await origin())
        let add = await shell.run(
            "add", "-i", "-", "-d", "out", "--group", "G",
            input: "\(try origin.url("/a.bin"))\n out=x.bin\n\(try origin.url("/b.bin"))\n colour=red\n")
        #expect(add.code == 0 && add.output == "1\n2\n")
        #expect(add.errors == "warning: line 4: the option 'colour' is not known here; left out\n")
        #expect(await shell.run("list", "--state", "queued", "--group", "G", "--json").lines.count == 2)
        let run = await shell.run("run", "--until-idle", "--no-api", "-q")
        #expect(run.code == 0 && run.errors == "")
        #expect(try shell.names(in: "out") == ["b.bin", "x.bin"])
        let show = await shell.run("show", "1")
        #expect(show.output.contains("\nstate        completed\n"))
        let past = await shell.run("list", "--at", "2")
        #expect(past.lines.count == 3 && past.lines.dropFirst().allSatisfy { $0.contains("queued") })
        try await origin.stop()
    }

    @Test func `values may stand at their letters, and a header that is not sent is named`() async throws {
        let (shell, origin) = (try Shell(), try await origin())
        let url = try origin.url("/a.bin").text
        let get = await shell.run("get", "-dout", "-ob.bin", "-H", "X-Own: 1", "-H", "Range: bytes=2-", "-s2", url)
        #expect(get.code == 0)
        #expect(get.errors.hasPrefix("warning: the header 'Range' is not sent: "), "\(get.errors)")
        #expect(try shell.names(in: "out") == ["b.bin"])
        let request = try #require(origin.requests.last)
        #expect(request["x-own"] == "1" && request["range"] != "bytes=2-")
        try await origin.stop()
    }

    @Test func `whoever joins the download of another URL is told that theirs is not fetched`() async throws {
        let (shell, origin) = (try Shell(), try await origin())
        let (one, two) = (try origin.url("/a.bin").text, try origin.url("/b.bin").text)
        #expect(await shell.run("add", "-d", "out", "-o", "x", one).code == 0)
        let added = await shell.run("add", "-d", "out", "-o", "x", two)
        let path = shell.directory.appending("out/x")
        let words = "'\(two)' is not fetched: '\(path)' comes from '\(one)' already, as 1; another name"
        #expect(added.code == 0 && added.output == "1\n" && added.errors.contains(words), "\(added)")
        #expect(!(await shell.run("add", "-d", "out", "-o", "x", one)).errors.contains("not fetched"))
        let got = await shell.run("get", "-d", "out", "-o", "x", two)
        #expect(got.code == 0 && got.errors.contains(words), "\(got)")
        #expect(origin.requests.allSatisfy { $0.target == "/a.bin" })
        try await origin.stop()
    }

    @Test func `adding what is there already says in which state it is, and get resumes it`() async throws {
        let (shell, origin) = (try Shell(), try await origin())
        let (one, two) = (try origin.url("/a.bin").text, try origin.url("/b.bin").text)
        let fresh = await shell.run("add", "--json", "-d", "out", one)
        #expect(fresh.output.hasSuffix(#","joined":false}"# + "\n") && fresh.errors == "")
        #expect(await shell.run("pause", "1").code == 0)
        let paused = await shell.run("add", "--json", "-d", "out", one)
        #expect(paused.output.contains(#""state":"paused""#) && paused.output.hasSuffix(#","joined":true}"# + "\n"))
        #expect(paused.errors == "asked for before, and paused: 1; 'ledger resume 1' lets it go on\n")
        #expect(await shell.run("get", "-d", "out", one, two).code == 0)
        let completed = await shell.run("add", "-d", "out", one, two, one)
        #expect(completed.output.split(separator: "\n").first == "1" && completed.lines.count == 3)
        #expect(completed.errors.hasPrefix("asked for before, and completed: 1, "))
        #expect(completed.errors.hasSuffix("; '--again' fetches them anew\n"))
        #expect(await shell.run("add", "-q", "-d", "out", one).errors == "")
        try await origin.stop()
    }

    @Test func `where the current directory was removed nothing is put elsewhere`() async throws {
        let (shell, origin) = (try Shell(isDirectoryGone: true), try await origin())
        let (url, place) = (try origin.url("/a.bin").text, shell.directory.string + "/out")
        let commands = [
            ["get", url], ["add", "-o", "x", url], ["add", "-d", "sub", url], ["run", "--until-idle"],
            ["run", "--until-idle", "-d", "sub"], ["feed", "add", url], ["catalog", "add", url],
        ]
        for command in commands {
            let result = await shell.run(command)
            #expect(result.code == 64 && result.errors.contains("the current directory was removed"), "\(result)")
        }
        #expect(await shell.run("get", "-d", place, url).code == 0)
        #expect(await shell.run("run", "--until-idle", "-d", place, "--listen", "127.0.0.1:0").code == 0)
        try await origin.stop()
    }

    @Test func `what a download that is joined does not heed is told`() async throws {
        let (shell, origin) = (try Shell(), try await origin())
        let one = try origin.url("/a.bin").text
        let asked = ["-d", "out", "--group", "G", "--tag", "x", "--limit-rate", "1M"]
        #expect(await shell.run(["add"] + asked + [one]).code == 0)
        #expect(await shell.run(["add"] + asked + ["--skip", one]).errors == "asked for before, and queued: 1\n")
        #expect(await shell.run("add", "-d", "out", one).errors == "asked for before, and queued: 1\n")
        let other = ["-d", "out", "--group", "H", "--tag", "y", "--title", "T", "--priority", "3"]
        let added = await shell.run(["add"] + other + ["--limit-rate", "2M", "--insecure", one])
        let labels = "1 was asked for before and stays as it is, without heed to '--group', '--title', '--tag'"
        #expect(added.code == 0 && added.output == "1\n")
        #expect(
            added.errors.contains(
                labels + ", '--priority', '--insecure', '--limit-rate'; 'ledger change 1' takes '--to-group', "
                    + "'--title', '--tags', '--priority', '--limit-rate'; 'ledger cancel 1' and the same again"),
            "\(added.errors)")
        let configured = ["LEDGER_RETRIES": "9", "http_proxy": "http://127.0.0.1:9", "LEDGER_LIMIT_RATE": "5M"]
        let plain = await shell.run(["add", "-d", "out", one], environment: configured)
        #expect(plain.errors == "asked for before, and queued: 1\n")
        #expect(await shell.run("change", "1", "--to-group", "H", "--title", "T", "--tags", "y").code == 0)
        #expect(await shell.run("get", "-d", "out", one).code == 0)
        // Once it is there it does not matter how it was to come.
        let late = await shell.run("get", "-d", "out", "--group", "Q", "--limit-rate", "3M", one)
        #expect(late.code == 0 && late.errors.contains("'--group'; 'ledger change 1' takes '--to-group'\n"), "\(late)")
        try await origin.stop()
    }

    @Test func `what ends at once is counted, and a cancelled download is no failure`() async throws {
        // On a clock that stands nothing takes so long that a line about all is due.
        let (shell, origin) = (try Shell(clock: ManualClock(.epoch)), try await origin())
        for name in ["a.bin", "b.bin", "none", "c.bin"] {
            #expect(await shell.run("add", "-d", "out", try origin.url("/" + name).text).code == 0)
        }
        #expect(await shell.run("cancel", "4").code == 0)
        let run = await shell.run("run", "--until-idle", "--no-api", "-j", "1")
        #expect(run.code == 1)
        #expect(run.errors.split(separator: "\n").map { $0.prefix(5) } == ["[1/3]", "[2/3]", "[3/3]", "2 of "])
        #expect(run.errors.hasSuffix("2 of 3 downloads completed, 1 failed; 'ledger list --state failed' shows why\n"))
        let idle = await shell.run("run", "--until-idle", "--no-api")
        #expect(idle.code == 0 && idle.errors == "", "\(idle.errors)")
        let watch = await shell.run("watch", "4")
        #expect(watch.code == 0)
        #expect(watch.errors == "[1/1] download 4 was cancelled\n0 of 1 download completed, 1 cancelled\n")
        try await origin.stop()
    }

    @Test func `steering is recorded, told and undone`() async throws {
        let (shell, origin) = (try Shell(), try await origin())
        #expect(await shell.run("add", "-d", "out", try origin.url("/a.bin").text).code == 0)
        #expect(await shell.run("add", "-d", "out", try origin.url("/b.bin").text, "--priority", "3").code == 0)
        #expect(await shell.run("pause", "1").output == "1 paused: a.bin\n")
        let twice = await shell.run("pause", "1")
        #expect(twice.code == 1)
        #expect(twice.errors == "refused: download 1 is paused already\n  next:  'ledger resume 1' lets it go on\n")
        #expect(await shell.run("resume", "--all").output == "1 resumed: a.bin\n")
        #expect(await shell.run("move", "1", "--priority", "9").code == 0)
        #expect(await shell.run("list", "--sort", "priority").lines[1].contains("a.bin"))
        #expect(await shell.run("cancel", "2").output == "2 cancelled: b.bin\n")
        #expect(await shell.run("run", "--until-idle", "-q").code == 0)
        let delete = await shell.run("delete", "1")
        #expect(delete.output == "1 deleted; 'ledger undo' brings it back: a.bin\n")
        #expect(try shell.names(in: "out") == [])
        let undo = await shell.run("undo").output
        #expect(undo.hasPrefix("1 undone (event ") && undo.hasSuffix("): a.bin\n"), "\(undo)")
        #expect(try shell.contents("out/a.bin") == file.bytes)
        #expect(await shell.run("list").output.contains("completed"))
        #expect(await shell.run("retry", "2").output == "2 will be tried again: b.bin\n")
        let unfinished = await shell.run("delete", "2", "--keep-file").output
        #expect(unfinished == "2 deleted: it had no finished file, so nothing of it stays: b.bin\n")
        try await origin.stop()
    }

    @Test func `compacting keeps the state and its digest`() async throws {
        let (shell, origin) = (try Shell(), try await origin())
        #expect(await shell.run("get", "-d", "out", try origin.url("/a.bin").text).code == 0)
        let before = await shell.run("list", "--json")
        let digest = await shell.run("replay", "--state", "digest").lines.last
        let dry = await shell.run("compact", "--dry-run", "--keep-events", "0", "--json")
        #expect(dry.output.contains(#""dryRun":true"#))
        #expect(await shell.run("compact", "--drop", "--keep-events", "0").code == 0)
        #expect(await shell.run("list", "--json").output == before.output)
        #expect(await shell.run("replay", "--state", "digest").lines.last == digest)
        let past = await shell.run("list", "--at", "1")
        #expect(past.code == 24 && past.errors.contains("event 1 was compacted away"))
        let verify = await shell.run("verify", "--json")
        #expect(verify.code == 0)
        #expect(verify.output.hasPrefix(#"{"summary":{"segments":"#))
        #expect(verify.output.hasSuffix(#""findings":[]}}"# + "\n"))
        let state = await shell.run("replay", "--state", "queue,catalog,digest", "--json")
        #expect(state.output.contains(#""queue":[],"catalog":[{"id":1,"#))
        #expect(state.output.contains(#""digest":"sha-256:"#))
        // What ended without a file is of the queue, behind what is to be done.
        for name in ["gone", "wanted"] { #expect(await shell.run("add", "-q", "http://a/\(name)").code == 0) }
        #expect(await shell.run("cancel", "--search", "gone").code == 0)
        let queue = await shell.run("replay", "--state", "queue")
        let named = queue.lines.compactMap { line in ["gone", "wanted"].first { line.contains($0) } }
        #expect(named == ["wanted", "gone"], "\(queue.output)")
        try await origin.stop()
    }

    @Test func `replay shows events, filtered and as rows`() async throws {
        let (shell, origin) = (try Shell(), try await origin())
        #expect(await shell.run("get", "-d", "out", try origin.url("/a.bin").text).code == 0)
        let rows = await shell.run("replay", "--json", "--id", "1", "--type", "enqueued,completed")
        #expect(rows.lines.count == 2)
        #expect(rows.lines.first?.hasPrefix(#"{"seq":1,"time":"20"#) ?? false)
        #expect(rows.lines.last?.contains(#""type":"completed","version":1,"id":1,"actor":"worker""#) ?? false)
        #expect(rows.errors.contains("shown 2 of "))
        #expect(await shell.run("replay", "-q", "--from", "2", "--to", "2").lines.count == 1)
        try await origin.stop()
    }
}
