import ArgumentParser
import DownloadLedger
import LedgerAPI
import LedgerModel

/// `ledger run`: hold the ledger and work the queue off.
struct Run: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Work the queue off; other commands may add to it and steer it meanwhile.",
        usage: "ledger run [<options>]",
        discussion: """
            First compares the log with the disk, then downloads. SIGINT and SIGTERM record what was received and \
            leave in under five seconds. When another command holds the ledger, this one waits and takes over. With \
            '--until-idle' it leaves when nothing is left to do, with exit code 1 when a download failed meanwhile.

            EXAMPLE
              ledger run --jobs 8 --max-rate 10M
              ledger run --until-idle
            """)

    @Flag(help: "Leave when nothing is left to do.")
    var untilIdle = false

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "The hours of the day in which any download may run, such as 22:00-06:00 (default: always).",
            valueName: "window"),
        transform: DailyHours.parse)
    var window: DailyHours?

    @Flag(name: .customLong("no-api"), help: "Serve no HTTP API; this version has none yet.")
    var noAPI = false

    @OptionGroup(title: "How much at once") var pool: PoolOptions
    @OptionGroup var global: GlobalOptions

    func run() async throws {
        let session = try await LedgerSession(global)
        if !noAPI { session.console.note("this version serves other commands on its socket, and no HTTP API yet") }
        var configuration = pool.configuration(under: session.settings)
        if let window { configuration.limits.window = window.window }
        let worker = WorkOff(session: session, configuration: configuration, untilIdle: untilIdle)
        guard try await worker.run() else { throw Exit(code: .failed) }
    }
}
