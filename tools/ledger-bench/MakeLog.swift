import ArgumentParser
import LedgerEngine
import LedgerModel
import LedgerSystem

/// `ledger-bench make-log`: a year of downloads in a minute.
struct MakeLog: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "make-log",
        abstract: "Make a ledger with a long past.",
        discussion: """
            Simulated people and workers drive the real ledger: every event was decided by its queue, encoded and \
            committed as 'ledger run' does it. No file is fetched. Equal arguments make equal logs.

            EXAMPLE
              ledger-bench make-log --home big --events 1000000 --downloads 100000
            """)

    @Option(help: ArgumentHelp("The directory of the new ledger.", valueName: "dir"))
    var home: String

    @Option(help: ArgumentHelp("How many events, exactly.", valueName: "n"))
    var events = 1_000_000

    @Option(help: ArgumentHelp("How many downloads, exactly.", valueName: "n"))
    var downloads = 100_000

    @Option(help: ArgumentHelp("What chance begins with.", valueName: "n"))
    var seed: UInt64 = 1

    @Option(help: ArgumentHelp("Over how many days, the last of which is 2026-06-30.", valueName: "n"))
    var days = 365

    func validate() throws {
        guard (1...LogScale.eventsMax).contains(events) else {
            throw ValidationError("'--events' is from 1 to \(LogScale.eventsMax).")
        }
        guard (1...events).contains(downloads) else {
            throw ValidationError("'--downloads' is from 1 to the number of events: each has one that enqueues it.")
        }
        guard (1...LogScale.daysMax).contains(days) else {
            throw ValidationError("'--days' is from 1 to \(LogScale.daysMax).")
        }
    }

    func run() async throws {
        let absolute = try Place.absolute(home)
        let scale = LogScale(events: events, downloads: downloads, seed: seed, days: days)
        var maker = try await LogMaker(
            home: LedgerHome(absolute), fileSystem: RealFileSystem(), scale: scale)
        let state = try await maker.run()
        try Output.standard.write(
            "\(state.sequence) events over \(state.queue.downloads.count) downloads in '\(absolute)', "
                + "digest \(StateSnapshot.digest(of: state))\n")
    }
}
