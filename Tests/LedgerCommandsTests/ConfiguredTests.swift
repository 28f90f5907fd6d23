import Testing

@testable import LedgerCommands

/// What stands in the configuration, or beside a list, counts for every command that takes orders.
struct ConfiguredTests {
    @Test func `the queue's bound holds for add when nobody holds the ledger`() async throws {
        let shell = try Shell()
        let most = ["LEDGER_QUEUE_MAX": "2"]
        #expect(await shell.run(["add", "http://h/1", "http://h/2"], environment: most).code == 0)
        let refused = await shell.run(["add", "http://h/3"], environment: most)
        #expect(refused.code == 1 && refused.output.isEmpty, "\(refused.errors)")
        let evicting = most.merging(["LEDGER_QUEUE_POLICY": "evict-oldest"]) { $1 }
        #expect(await shell.run(["add", "http://h/4"], environment: evicting).code == 0)
        #expect(await shell.run("list", "--state", "queued", "--json").lines.count == 2)
        #expect(await shell.run("replay").output.contains("(evicted)"))
    }

    @Test func `a row that waits for its time waits for it in another ledger`() async throws {
        let (one, other) = (try Shell(), try Shell())
        #expect(await one.run("add", "http://h/a", "--not-before", "2099-01-01").code == 0)
        try other.write("rows", Array(await one.run("list", "--json").output.utf8))
        #expect(await other.run("import", "rows").code == 0)
        #expect(await other.run("list", "--json").output.contains("\"retryAt\":\"2099-01-01"))
    }

    @Test func `files that have no directory of their own go where import says`() async throws {
        let shell = try Shell()
        try shell.write("rows", Array("{\"url\": \"http://h/a\", \"output\": \"x\"}\n".utf8))
        #expect(await shell.run("import", "rows", "-d", "there").code == 0)
        #expect(await shell.run("list", "--json").output.contains("\(shell.directory)/there/x"))
        // As aria2 reads it: below the directory, also with a slash before it.
        try shell.write("list", Array("http://h/b\n out=/deep/y\n".utf8))
        #expect(await shell.run("add", "-i", "list", "-d", "there").code == 0)
        #expect(await shell.run("list", "--json").output.contains("\(shell.directory)/there/deep/y"))
    }

    @Test func `a configured directory that can not be used is told with the place where it stands`() async throws {
        let shell = try Shell()
        try shell.write("file", [])
        let result = await shell.run(["run", "--until-idle"], environment: ["LEDGER_DIR": "file/below"])
        #expect(result.code == 74 && result.errors.contains("'dir' in '\(shell.home)/config.yaml'"), "\(result)")
    }
}
