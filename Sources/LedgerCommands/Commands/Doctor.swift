import ArgumentParser
import LedgerAPI
import LedgerCoding
import LedgerEngine
import LedgerServer
import LedgerViews
import SystemPackage

/// `ledger doctor`.
struct Doctor: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Look at the set-up, and say what is wrong with it and what to do.",
        usage: "ledger doctor [--listen <host:port>]",
        discussion: """
            Looks at the home and the disk below it, who holds the ledger, the log's checksums, tokens and secrets, \
            the configuration, where downloads go, certificates, descriptors, the clock, the API and proxies. Changes \
            nothing, and works whether or not 'ledger run' is up.

            Each line begins with 'ok', 'warn' (it works, and may not for ever) or 'bad' (it does not work). The exit \
            code is 1 when anything is bad, else 0. Run it as the user of the ledger.

            EXAMPLE
              ledger doctor
              ledger doctor --json
              ledger doctor --home /var/lib/ledger --quiet    # only what is not well
            """)

    @Option(
        help: ArgumentHelp(
            "Where the API is asked (default: where the holder serves it, else 127.0.0.1:6800).",
            valueName: "host:port"),
        transform: ListenAddress.parse)
    var listen: ListenAddress?

    @OptionGroup var global: GlobalOptions

    func run() async throws {
        let context = CommandContext.now
        let console = global.console(in: context)
        let examination = Examination(
            context: context, console: console, home: LedgerHome(FilePath(global.homePath(in: context))),
            address: listen)
        var isBad = false
        try await examination.run { finding in
            if finding.result == .bad { isBad = true }
            if global.json { return try console.printLast([finding.json.description]) }
            if finding.result != .ok || !global.quiet { try console.printLast([finding.line]) }
        }
        if isBad { throw Exit(code: .failed) }
    }
}
