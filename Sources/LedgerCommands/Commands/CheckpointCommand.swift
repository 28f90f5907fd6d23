import ArgumentParser
import LedgerAPI
import LedgerCoding
import LedgerEngine
import LedgerHolder
import LedgerLog
import LedgerViews

/// `ledger checkpoint`: what to keep elsewhere.
struct CheckpointCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "checkpoint",
        abstract: "Print the size and the root of the log, to be kept elsewhere.",
        usage: "ledger checkpoint [<options>]",
        discussion: """
            Three lines in the form of C2SP tlog-checkpoint: which ledger, how many events, and the root of the tree \
            over them. Who keeps them where nobody else can write can tell later whether the log was rewritten or cut \
            short: 'ledger verify --against FILE'. Takes no lock; 'ledger run --checkpoints DIR' writes such files by \
            itself.

            EXAMPLE
              ledger checkpoint > /mnt/elsewhere/ledger.checkpoint
              ledger verify --against /mnt/elsewhere/ledger.checkpoint
            """)

    @OptionGroup var global: GlobalOptions

    func run() async throws {
        let session = try await LedgerSession(global)
        let checkpoint = try await session.prove { prover throws(LogError) in
            let head = try prover.head()
            return Checkpoint(identity: prover.identity, head: head)
        }
        try session.console.writeOutput(global.json ? checkpoint.json.description + "\n" : checkpoint.text)
    }
}

extension LedgerSession {
    /// Asks the log for what can be proved of it.
    func prove<Answer: Sendable>(
        _ body: @escaping @Sendable (inout LogProver) throws(LogError) -> Answer
    ) async throws(Problem) -> Answer {
        let (home, fileSystem) = (home, context.world.fileSystem)
        return try await blocking { () throws(LedgerError) in
            do throws(LogError) {
                var prover = try LogProver(home: home.path, archive: home.archive, fileSystem: fileSystem)
                return try body(&prover)
            } catch { throw .log(error) }
        }
    }
}
