import LedgerModel
import LedgerTestSupport
import Testing

@testable import LedgerCommands

/// Downloads whose path another download's file has taken since.
struct TakenPathTests {
    @Test func `a file that two downloads have stays for the other, and is told to`() async throws {
        let (shell, origin) = (try Shell(), try await OriginServer.start())
        origin.on("/f.txt") { OriginEntity([1, 2, 3]).reply(to: $0) }
        let url = try origin.url("/f.txt").text
        #expect(await shell.run("get", "-q", "-d", "out", url).code == 0)
        #expect(await shell.run("get", "-q", "-d", "out", "--skip", url + "?again").code == 0)
        let rows = await shell.run("list", "--json")
        #expect(rows.lines.count { $0.contains("/out/f.txt\",\"state\":\"completed\"") } == 2, "\(rows.output)")
        let delete = await shell.run("delete", "1")
        #expect(delete.code == 0 && delete.errors.contains("is the file of download "), "\(delete.errors)")
        #expect(!delete.errors.contains("is not what was fetched"))
        #expect(try shell.contents("out/f.txt") == [1, 2, 3])
        try await origin.stop()
    }

    @Test func `a file that stood there before is neither replaced nor removed`() async throws {
        let (shell, origin) = (try Shell(), try await OriginServer.start())
        origin.on("/thesis") { OriginEntity([1, 2, 3]).reply(to: $0) }
        let url = try origin.url("/thesis").text
        // The directory is there with a file in it that nobody asked for.
        origin.on("/other") { OriginEntity([4]).reply(to: $0) }
        #expect(await shell.run("get", "-q", "-d", "out", try origin.url("/other").text).code == 0)
        #expect(await shell.run("delete", "1", "--purge").code == 0)
        try shell.write("out/thesis", [7])
        #expect(await shell.run("get", "-q", "-d", "out", "--skip", url).code == 0)
        #expect(await shell.run("get", "-q", "-d", "out", "--if-modified", url).code == 0)
        #expect(try shell.contents("out/thesis") == [7])
        #expect(try shell.contents("out/thesis (1)") == [1, 2, 3])
        #expect(await shell.run("delete", "--state", "completed", "--purge").code == 0)
        #expect(try shell.names(in: "out") == ["thesis"])
        for option in ["--purge", "--purge", "--keep-file"] {
            #expect(await shell.run("get", "-q", "-d", "out", "--skip", url).code == 0)
            let deleted = await shell.run("delete", "--state", "completed", option)
            #expect(deleted.code == 0 && deleted.errors.contains("not what was fetched") == (option == "--purge"))
            #expect(try shell.contents("out/thesis") == [7])
        }
        try await origin.stop()
    }

    @Test func `a deleted file comes back beside the one that has taken its path`() async throws {
        let (shell, origin) = (try Shell(), try await OriginServer.start())
        origin.on("/f.txt") { OriginEntity([1, 2, 3]).reply(to: $0) }
        let url = try origin.url("/f.txt").text
        #expect(await shell.run("get", "-q", "-d", "out", url).code == 0)
        #expect(await shell.run("delete", "1").code == 0)
        origin.on("/f.txt") { OriginEntity([4, 5]).reply(to: $0) }
        #expect(await shell.run("get", "-q", "-d", "out", url).code == 0)
        let undone = await shell.run("undo")
        #expect(undone.code == 0, "\(undone)")
        #expect(try shell.names(in: "out") == ["f (1).txt", "f.txt"])
        #expect(try shell.contents("out/f (1).txt") == [1, 2, 3])
        #expect(try shell.contents("out/f.txt") == [4, 5])
        let rows = await shell.run("list", "--json")
        #expect(rows.lines.count { $0.contains(#""state":"completed""#) } == 2, "\(rows.output)")
        #expect(rows.output.contains("f (1).txt"))
        #expect(await shell.run("verify", "--data").code == 0)
        try await origin.stop()
    }

    @Test func `a file that was moved away is missing once another has its name, and is fetched again`() async throws {
        let (shell, origin) = (try Shell(), try await OriginServer.start())
        for (directory, byte) in [("/d1", UInt8(1)), ("/d2", 2)] {
            origin.on(directory + "/r.pdf") { OriginEntity([byte]).reply(to: $0) }
        }
        let urls = try ["/d1/r.pdf", "/d2/r.pdf"].map { try origin.url($0).text }
        #expect(await shell.run("get", "-q", "-d", "out", urls[0]).code == 0)
        try shell.removeFile("out/r.pdf")
        #expect(await shell.run("get", "-q", "-d", "out", urls[1]).code == 0)
        #expect(await shell.run("list", "--state", "missing", "--json").lines.count == 1)
        #expect(await shell.run("get", "-q", "-d", "out", urls[0]).code == 0)
        #expect(try shell.contents("out/r (1).pdf") == [1])
        #expect(try shell.contents("out/r.pdf") == [2])
        #expect(await shell.run("reconcile").code == 0)
        try await origin.stop()
    }
}
