import LedgerModel
import LedgerSystem
import SystemPackage
import Testing

@testable import LedgerCommands

/// `migrate` on homes of earlier and later releases.
struct MigrateTests {
    /// A shell whose home is a golden one.
    private func shell(_ name: String) throws -> Shell {
        let shell = try Shell()
        let golden = FilePath(#filePath).removingLastComponent().removingLastComponent().removingLastComponent()
        func take(_ path: FilePath, to target: FilePath) throws {
            let files = RealFileSystem()
            guard try files.status(of: path)?.kind == .directory else {
                try files.copy(path, to: target, permissions: 0o600)
                return
            }
            try files.createDirectory(target, permissions: 0o700)
            for entry in try files.list(path) { try take(path.appending(entry), to: target.appending(entry)) }
        }
        try take(FilePath(golden.string + "/migrations/golden/" + name), to: shell.home)
        return shell
    }

    @Test func `a log of version 1 is counted, read as it is, and a snapshot spares the next start`() async throws {
        let shell = try shell("format-1/home-1")
        let old = try shell.contents("home/log/0000000000000001.seg")
        let dry = await shell.run("migrate", "--dry-run")
        #expect(dry.code == 0, "\(dry.errors)")
        #expect(
            dry.output == """
                format 1, the present one; 12 events
                  enqueued version 1: 4
                  resolved version 1: 2
                  verified version 1: 2, lifted as they are read
                  completed version 1: 2
                  altered version 1: 1, lifted as they are read
                  found version 1: 1, lifted as they are read
                nothing needs rewriting; 'ledger migrate' saves a snapshot, so that what is old is not read again

                """)
        #expect(await shell.run("verify").code == 0)
        let rows = await shell.run("list", "--json").output
        #expect(rows.split(separator: "\n").count == 4)
        let made = await shell.run("migrate")
        #expect(made.code == 0 && made.output.hasSuffix("a snapshot at event 12 spares the next start what is old\n"))
        #expect(await shell.run("migrate").output.hasSuffix("\nnothing needs to be done\n"))
        let json = await shell.run("migrate", "--json").output
        #expect(json.contains(#"{"type":"verified","version":1,"current":2,"events":2}"#), "\(json)")
        #expect(json.hasSuffix(#""snapshot":12,"savesSnapshot":false,"dryRun":false}}"# + "\n"))
        #expect(await shell.run("list", "--json").output == rows)
        #expect(await shell.run("add", "-d", "out", "http://a/x").output == "13\n")
        #expect(try shell.contents("home/log/0000000000000001.seg") == old)
        #expect(await shell.run("verify").code == 0)
    }

    @Test(arguments: ["newer/format-2", "newer/event-9"])
    func `a newer log is refused by every command with exit code 12 and what to do`(_ name: String) async throws {
        let commands = [
            ["list"], ["replay"], ["add", "-d", "out", "http://a/x"], ["export"], ["run", "--until-idle"],
        ]
        for arguments in commands {
            let shell = try shell(name)
            let result = await shell.run(arguments)
            #expect(result.code == 12, "\(arguments): \(result.errors)")
            #expect(result.errors.contains("too-new: ") && result.errors.contains("\n  next:  update "), "\(result)")
        }
        let newer = try shell(name)
        #expect(await newer.run("migrate").code == 12)
        let examined = await newer.run("doctor", "--listen", "192.0.2.1:80")
        #expect(examined.code == 1 && examined.output.contains("update"), "\(examined.output)")
    }

    @Test func `without a ledger there is nothing to migrate`() async throws {
        let shell = try Shell()
        #expect(await shell.run("migrate").code == 10)
    }
}
