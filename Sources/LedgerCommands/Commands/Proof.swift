import ArgumentParser
import LedgerAPI
import LedgerCoding
import LedgerEngine
import LedgerHolder
import LedgerLog
import LedgerModel
import LedgerViews

/// `ledger proof`: what others can check without the log.
struct Proof: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Prove that an event is in the log, or that the log only grew.",
        usage: "ledger proof --seq <seq> [--size <n>] | --from <n> --to <n>",
        discussion: """
            Prints the proofs of RFC 6962 section 2.1 as one line of JSON, hashes in hexadecimal. With '--seq', that \
            the event is among the first '--size' (without it: all); with '--from' and '--to', that the log of one \
            size is the beginning of the log of the other. 'tools/verify-proof.py' checks them, and needs neither this \
            program nor the log.

            EXAMPLE
              ledger proof --seq 12 > proof.json
              ledger proof --from 100 --to 340 > proof.json
            """)

    @Option(
        parsing: .unconditional, help: ArgumentHelp("Prove that this event is in the log.", valueName: "seq"),
        transform: SequenceNumber.parse)
    var seq: SequenceNumber?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("In the log of so many events (default: all there are).", valueName: "n"),
        transform: SequenceNumber.parse)
    var size: SequenceNumber?

    @Option(
        parsing: .unconditional, help: ArgumentHelp("Prove that the log of so many events ...", valueName: "n"),
        transform: SequenceNumber.parse)
    var from: SequenceNumber?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("... is the beginning of the log of so many (default: all there are).", valueName: "n"),
        transform: SequenceNumber.parse)
    var to: SequenceNumber?

    @OptionGroup var archive: ArchiveOptions
    @OptionGroup var global: GlobalOptions

    func validate() throws {
        switch (seq, from) {
        case (nil, nil): throw ValidationError("Give an event with '--seq', or a size with '--from'.")
        case (_?, _?): throw ValidationError("'--seq' and '--from' are two kinds of proof: give one.")
        case (let seq?, nil):
            if to != nil { throw ValidationError("'--to' goes with '--from'; with '--seq' it is '--size'.") }
            if let size, size < seq { throw ValidationError("'--size' is smaller than '--seq'.") }
        case (nil, let from?):
            if size != nil { throw ValidationError("'--size' goes with '--seq'; with '--from' it is '--to'.") }
            if let to, to < from { throw ValidationError("'--to' is smaller than '--from'.") }
        }
    }

    func run() async throws {
        let session = try await LedgerSession(global, archive)
        let head = try await session.prove { prover throws(LogError) in try prover.head() }
        let last = SequenceNumber(head.size)
        for point in [seq, size, from, to].compactMap({ $0 }) where point > last {
            throw Problem(LedgerError.pastEnd(.sequence(point), last: last))
        }
        let (seq, from, end) = (seq, from, size ?? to ?? last)
        let json = try await session.prove { prover throws(LogError) in
            if let seq { return try prover.inclusion(of: seq, in: end.rawValue).json }
            return try prover.consistency(from: from?.rawValue ?? 1, to: end.rawValue).json
        }
        try session.console.printLast([json.description])
    }
}
