import LedgerAPI
import LedgerCoding
import LedgerModel
import LedgerTestSupport
import Testing

@testable import LedgerCommands
@testable import LedgerViews

/// `diff`: every row that differs, field by field, either way round.
struct DiffTests {
    /// Two orders, the first moved up, the second deleted: events 1 to 4.
    private func shell() async throws -> Shell {
        let shell = try Shell()
        for name in ["x", "y"] { #expect(await shell.run("add", "-d", "out", "http://a/\(name)").code == 0) }
        #expect(await shell.run("move", "1", "--priority", "3").code == 0)
        #expect(await shell.run("delete", "2").code == 0)
        #expect(await shell.run("replay", "-q").lines.count == 4)
        return shell
    }

    @Test func `what came, changed and went is shown row by row, and the other way round what would lead back`()
        async throws
    {
        let shell = try await shell()
        let added = await shell.run("diff", "0", "2")
        #expect(
            added.output
                == "+ 1  queued  x  http://a/x\n+ 2  queued  y  http://a/y\nfrom event 0 to event 2: 2 added\n")
        let changed = await shell.run("diff", "2", "4")
        #expect(changed.lines.first == "~ 1  queued  x" && changed.code == 0)
        #expect(changed.output.contains("    priority  0 -> 3\n"), "\(changed.output)")
        #expect(changed.output.contains("\n- 2  deleted  y\n    state  queued -> deleted\n"), "\(changed.output)")
        #expect(changed.output.hasSuffix("\nfrom event 2 to event 4: 1 removed, 1 changed\n"))
        let back = await shell.run("diff", "4", "2")
        #expect(back.output.contains("    priority  3 -> 0\n"))
        #expect(back.output.contains("\n+ 2  queued  y\n    state  deleted -> queued\n"), "\(back.output)")
        let gone = await shell.run("diff", "2", "0")
        #expect(gone.output.hasSuffix("from event 2 to event 0: 2 removed\n"))
    }

    @Test func `json is a line for each row and nothing else`() async throws {
        let shell = try await shell()
        let json = await shell.run("diff", "2", "4", "--json")
        #expect(json.lines.count == 2 && json.errors == "")
        #expect(json.lines[0].hasPrefix(#"{"id":1,"change":"changed","fields":{"priority":{"before":0,"after":3}"#))
        #expect(
            json.lines[1]
                == #"{"id":2,"change":"removed","fields":{"state":{"before":"queued","after":"deleted"}}}"#)
        let new = await shell.run("diff", "0", "1", "--json")
        #expect(new.lines.count == 1 && new.output.contains(#""url":{"before":null,"after":"http://a/x"}"#))
    }

    @Test func `equal points show no difference, times are points, and what is not there is an error`() async throws {
        let shell = try await shell()
        #expect(await shell.run("diff", "3", "3").output == "no difference\n")
        #expect(await shell.run("diff", "3", "3", "--json").output == "")
        #expect(await shell.run("diff", "2000-01-01", "2").lines.count == 3)
        let behind = await shell.run("diff", "1", "5")
        #expect(behind.code == 1 && behind.errors.hasPrefix("not-found: event 5 lies behind the end of the log\n"))
        #expect(await (try Shell()).run("diff", "0", "0").code == 10)
        #expect(await shell.run("diff", "1").code == 64)
    }

    @Test func `an option that changes is a field of its own`() {
        var old = Download(
            id: 1, order: Fixture.order(), phase: .queued, priority: 0, rank: 1, addedAt: Fixture.start)
        var options = TransferOptions()
        options.bytesPerSecondMax = 1000
        var new = old
        new.order.options = Shared(options)
        let fields = RowChange(from: old, to: new)?.fields
        #expect(fields == [FieldChange(name: "options.bytesPerSecondMax", before: .null, after: .uint(1000))])
        // What no row shows is no difference.
        old.epoch += 1
        #expect(
            RowChange(
                from: old,
                to: {
                    var same = old
                    same.epoch += 1
                    return same
                }()) == nil)
    }
}
