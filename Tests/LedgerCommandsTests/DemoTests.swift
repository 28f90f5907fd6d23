import LedgerCoding
import LedgerSystem
import LedgerTestSupport
import SystemPackage
import Testing

@testable import LedgerCommands

struct DemoTests {
    @Test func `the demo kills a download, carries it on, and prints JSON alone with --json`() async throws {
        let shell = try Shell()
        let program = try CurrentProcess.executable().removingLastComponent().appending("ledger")
        // What holds for this machine's downloads is nothing to the demo's.
        let own = ["http_proxy": "http://127.0.0.1:9", "LEDGER_WINDOW": "12:00-12:01", "LEDGER_JOBS": "many"]
        let environment = shell.processEnvironment.merging(["TMPDIR": shell.directory.string]) { $1 }.merging(own) {
            $1
        }
        let demo = try ChildProcess(
            "/bin/sh", ["-c", #"exec "$0" demo --json --quiet > "$TMPDIR/lines""#, program.string],
            environment: environment, output: .discarded)
        #expect(await demo.wait() == 0)
        #expect(try shell.names(in: "") == ["lines"])
        let text = String(decoding: try #require(try shell.contents("lines")), as: UTF8.self)
        let lines = text.split(separator: "\n")
        for line in lines { _ = try JSONValue(parsing: line.utf8) }
        let summary = try #require(lines.last)
        #expect(summary.hasPrefix(#"{"summary":{"files":12,"different":[],"bytesFetchedTwice":"#), "\(summary)")
        #expect(summary.hasSuffix(#","filesFetchedAgain":0}}"#), "\(summary)")
        #expect(lines.count { $0.contains(#""state":"completed""#) } >= 12)
    }
}
