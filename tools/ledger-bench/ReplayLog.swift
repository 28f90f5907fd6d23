import ArgumentParser
import LedgerEngine
import LedgerModel
import LedgerSystem

/// `ledger-bench replay`: how fast a log is read, and folded.
struct ReplayLog: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay",
        abstract: "Measure how fast a log is read and folded.",
        discussion: """
            On one thread, from the first event, by the way that opening a ledger goes: every batch is read, its \
            checksum and chain verified, every event decoded; with '--pass fold' each is applied to the state, too. No \
            snapshot takes part.

            EXAMPLE
              ledger-bench replay --home big --pass fold
            """)

    /// What is done with the events.
    enum Pass: String, CaseIterable, ExpressibleByArgument {
        case read, fold
    }

    @Option(help: ArgumentHelp("The directory of the ledger.", valueName: "dir"))
    var home: String

    @Option(help: "read or fold.")
    var pass = Pass.fold

    func run() async throws {
        let home = LedgerHome(try Place.absolute(home))
        let (begin, used) = (ContinuousClock.now, try ProcessCost.cpuSeconds())
        var reader = try EventReader(home: home, fileSystem: RealFileSystem(), after: .zero)
        var state = LedgerState()
        var count = 0
        try state.foldPast { state in
            var batch = EventReader.Batch()
            while try reader.next(into: &batch) {
                count += batch.events.count
                if pass == .fold { try batch.fold(into: &state) }
            }
        }
        let took = (ContinuousClock.now - begin).seconds
        try FigureLine.write([
            ("events", Double(count)), ("eventsPerSecond", Double(count) / took),
            ("cpuSeconds", try ProcessCost.cpuSeconds() - used),
        ])
    }
}
