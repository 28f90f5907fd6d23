import LedgerModel
import LedgerTestSupport
import Testing

/// `ledger keep`: what goes is said before it goes, and what all groups hold.
struct KeepTests {
    /// A home with three files of 1 KiB in the group "G".
    private func holdingThree() async throws -> Shell {
        let (shell, origin) = (try Shell(), try await OriginServer.start())
        let urls = try (1...3).map { try origin.url("/k\($0)").text }
        for number in 1...3 { origin.serve("/k\(number)", OriginEntity(OriginEntity.pattern(1024))) }
        #expect(await shell.run(["get", "-q", "-j", "1", "-d", "out", "--group", "G"] + urls).code == 0)
        try await origin.stop()
        return shell
    }

    @Test func `what would go is said, and nothing goes by saying so`() async throws {
        let shell = try await holdingThree()
        let dry = await shell.run("keep", "G", "--newest", "1", "--dry-run")
        #expect(dry.code == 0 && dry.errors.contains("2 files (2.0 KiB) would go for good"), "\(dry.errors)")
        #expect(dry.errors.contains("'G' would keep its newest file"), "\(dry.errors)")
        let json = await shell.run("keep", "G", "--size", "2K", "--dry-run", "--json").output
        #expect(
            json == #"{"group":"G","newestMax":null,"sizeMax":2048,"evicted":[1],"dryRun":true}"# + "\n", "\(json)")
        #expect(try shell.names(in: "out") == ["k1", "k2", "k3"])
        #expect(await shell.run("keep", "--json").lines.first?.contains(#""newestMax":null"#) == true)
    }

    @Test func `a person at a terminal is asked before a file goes, and nobody else`() async throws {
        let shell = try await holdingThree()
        let no = await shell.run("keep", "G", "--newest", "2", typed: ["n"])
        #expect(no.code == 1 && no.errors.contains("1 file (1.0 KiB) would go for good"), "\(no.errors)")
        #expect(try shell.names(in: "out") == ["k1", "k2", "k3"])
        #expect(await shell.run("keep", "G", "--newest", "3", typed: []).code == 0, "nothing goes by that")
        let yes = await shell.run("keep", "G", "--newest", "2", typed: ["y"])
        #expect(yes.code == 0 && yes.errors.contains("1 file (1.0 KiB) went for good"), "\(yes.errors)")
        #expect(try shell.names(in: "out") == ["k2", "k3"])
        #expect(await shell.run("keep", "G", "--newest", "1", "--yes", typed: []).code == 0)
        #expect(try shell.names(in: "out") == ["k3"])
    }

    @Test func `without a group it is said what each holds, and may hold`() async throws {
        let shell = try await holdingThree()
        #expect(await shell.run("keep", "H", "--size", "2G", "-q").code == 0)
        let table = await shell.run("keep")
        #expect(
            table.output == """
                GROUP  FILES     SIZE  NEWEST  SIZE MAX
                G          3  3.0 KiB       -         -
                H          0      0 B       -   2.0 GiB
                3 files, 3.0 KiB in all

                """, "\(table.output)")
        let rows = await shell.run("keep", "--json").lines
        #expect(rows.last == #"{"group":"H","files":0,"bytes":0,"newestMax":null,"sizeMax":2147483648}"#)
        #expect(await shell.run("keep", "--newest", "2").code == 64)
        let empty = try Shell()
        #expect(await empty.run("keep").code == 10)
    }
}
