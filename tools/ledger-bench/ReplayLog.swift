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
            From the first event, by the way that opening a ledger goes: every batch is read, its checksum and chain \
            verified, every event decoded; with '--pass fold' each is applied to the state, too, while a second thread \
            reads what comes next, and with '--pass fold-on-one-core' on the thread that reads. No snapshot takes part.

            EXAMPLE
              ledger-bench replay --home big --pass fold
            """)

    /// What is done with the events.
    enum Pass: String, CaseIterable, ExpressibleByArgument {
        case read, fold
        case foldOnOneCore = "fold-on-one-core"
    }

    @Option(help: ArgumentHelp("The directory of the ledger.", valueName: "dir"))
    var home: String

    @Option(help: "read, fold or fold-on-one-core.")
    var pass = Pass.fold

    func run() async throws {
        let home = LedgerHome(try Place.absolute(home))
        let (begin, used) = (ContinuousClock.now, try ProcessCost.cpuSeconds())
        var reader = try EventReader(home: home, fileSystem: RealFileSystem(), after: .zero)
        var (state, count) = (LedgerState(), 0)
        switch pass {
        case .read:
            var batch = EventReader.Batch()
            while try reader.next(into: &batch) { count += batch.events.count }
        case .fold:
            try LargePages.during { () throws(LedgerError) in
                try state.foldPast(by: ThreadedMap()) { state throws(LedgerError) in
                    try reader.readAhead { batch throws(LedgerError) in
                        count += batch.events.count
                        try batch.fold(into: &state)
                        return true
                    }
                }
            }
        case .foldOnOneCore:
            try LargePages.during { () throws(LedgerError) in
                try state.foldPast { state throws(LedgerError) in
                    var batch = EventReader.Batch()
                    while try reader.next(into: &batch) {
                        count += batch.events.count
                        try batch.fold(into: &state)
                    }
                }
            }
        }
        let (took, cost) = ((ContinuousClock.now - begin).seconds, try ProcessCost.cpuSeconds() - used)
        // What it takes to give the state up is no part of it.
        withExtendedLifetime(state) {}
        try FigureLine.write([
            ("events", Double(count)), ("eventsPerSecond", Double(count) / took),
            ("eventsPerCpuSecond", Double(count) / cost),
        ])
    }
}
