import ArgumentParser
import LedgerAPI
import LedgerCoding
import LedgerEngine
import LedgerLog

/// `ledger verify`: whether the log is what was written.
struct Verify: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Check that the log is what was written.",
        discussion: """
            Checks every checksum, chain, seal and root, takes no lock and changes nothing. Exit codes: 0 whole; 20 a \
            torn tail (never acknowledged, harmless); 21 corruption; 22 tampering; 23 shorter than its head says; 24 a \
            segment is missing.

            EXAMPLE
              ledger verify
              ledger verify --quick --json
            """)

    @Flag(help: "Check checksums, chains and seals, and no roots.")
    var quick = false

    @OptionGroup var global: GlobalOptions

    func run() async throws {
        let session = try await LedgerSession(global)
        let verifier = LogVerifier(
            home: session.home.path, fileSystem: session.context.world.fileSystem, depth: quick ? .quick : .whole)
        let report = try await session.blocking { () throws(LedgerError) in
            var verifier = verifier
            do throws(LogError) { return try verifier.run() } catch { throw .log(error) }
        }
        let view = VerificationView(report)
        try session.console.printLast(global.json ? [view.json.description] : view.lines)
        if view.exitCode != .done { throw Exit(code: view.exitCode) }
    }
}
