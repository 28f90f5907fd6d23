import ArgumentParser
import LedgerAPI
import LedgerCoding
import LedgerEngine
import LedgerHolder
import LedgerLog
import LedgerSystem
import LedgerViews
import SystemPackage

/// `ledger verify`: whether the log is what was written.
struct Verify: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Check that the log is what was written, and the files what was downloaded.",
        usage: "ledger verify [<options>]",
        discussion: """
            Checks every checksum, chain, seal, snapshot and root, takes no lock and changes nothing. With '--data' \
            also the files: each finished one by its SHA-256, each part by the sums of its ranges. Exit codes: 0 \
            whole; 20 a torn tail (never acknowledged, harmless); 21 corruption; 22 tampering; 23 shorter than its \
            head or the checkpoint says; 24 a segment is missing; 25 files differ from the catalog.

            EXAMPLE
              ledger verify
              ledger verify --quick --json
              ledger verify --data --sample 5
              ledger verify --against /mnt/elsewhere/ledger.checkpoint
            """)

    @Flag(help: "Check checksums, chains and seals, and no roots.")
    var quick = false

    @Flag(help: "Read the downloaded files, too, and compare them with the catalog.")
    var data = false

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "With '--data': only so many percent of the files, picked by chance.", valueName: "percent"),
        transform: Percent.parse)
    var sample: Percent?

    @Option(
        help: ArgumentHelp(
            "Compare with what 'ledger checkpoint' printed once; '-' is standard input.", valueName: "checkpoint"),
        completion: .file())
    var against: String?

    @Option(
        defaultAsFlag: ArchivePlace.home,
        help: ArgumentHelp(
            "Verify the archived segments, too; they stand in this directory if it is given.", valueName: "dir"))
    var archive: ArchivePlace?

    @OptionGroup var global: GlobalOptions

    func validate() throws {
        if sample != nil, !data { throw ValidationError("'--sample' picks files: it goes with '--data'.") }
        if against != nil, quick {
            throw ValidationError("A checkpoint is compared with roots, which '--quick' leaves out: give one of them.")
        }
    }

    func run() async throws {
        let session = try await LedgerSession(global)
        let checkpoint = try await keptCheckpoint(in: session)
        let (context, home, depth) = (session.context, session.home, quick ? LogVerifier.Depth.quick : .whole)
        let (isIncluded, elsewhere) = (archive != nil, try archive?.path(in: context))
        let threads = CurrentProcess.processors
        let log = try await session.atLength("verifying") { progress throws(LedgerError) in
            let verified = { (isIncluded: Bool) throws(LedgerError) -> VerificationReport in
                var verifier = LogVerifier(
                    home: home.path, fileSystem: context.world.fileSystem, depth: depth, includingArchive: isIncluded,
                    archive: elsewhere, checkpoint: checkpoint?.head, threads: threads, progress: progress)
                do throws(LogError) { return try verifier.run() } catch { throw .log(error) }
            }
            let report = try verified(isIncluded)
            // A checkpoint that is older than what the log holds is in the archive, perhaps.
            let isUnreached = report.findings.contains { $0.kind == .unreachedCheckpoint }
            guard !isIncluded, isUnreached else { return report }
            let whole = try verified(true)
            return whole.findings.contains { $0.kind == .missingSegment } ? report : whole
        }
        var view = VerificationView(log)
        if data, view.isLogWhole {
            let percent = sample?.value
            view.files = try await session.atLength("reading files") { progress throws(LedgerError) in
                let verifier = FileVerifier(home: home, world: context.world, threads: threads, progress: progress)
                return try verifier.run(samplePercent: percent)
            }
        } else if data {
            session.console.warn("the files were not compared: what the log says of them is damaged")
        }
        try session.console.printLast(global.json ? [view.json.description] : view.lines)
        if view.exitCode != .done { throw Exit(code: view.exitCode) }
    }

    /// The checkpoint to compare with, which must be of this ledger.
    private func keptCheckpoint(in session: LedgerSession) async throws(Problem) -> Checkpoint? {
        guard let against else { return nil }
        let bytes = try session.readBytes(against, "checkpoint", bytesMax: Checkpoint.textBytesMax)
        let checkpoint: Checkpoint
        let text = String(decoding: bytes, as: UTF8.self)
        do throws(Checkpoint.Fault) { checkpoint = try Checkpoint(parsing: text) } catch {
            throw Problem(
                .usage, "'\(against)' is no checkpoint: \(error.reason)",
                next: "give a file that holds the three lines of 'ledger checkpoint'", exitCode: .usage)
        }
        let identity = try await session.prove { prover throws(LogError) in prover.identity }
        guard checkpoint.identity == identity else {
            throw Problem(
                .tampered, "the checkpoint is of another ledger",
                cause: "it is of '\(checkpoint.origin)', and the ledger at '\(session.home.path)' is "
                    + "'\(Checkpoint(identity: identity, head: checkpoint.head).origin)'",
                next: "give the checkpoint of this ledger; if it is, the ledger was exchanged for another one",
                exitCode: .tampering)
        }
        return checkpoint
    }
}

/// Where archived segments stand.
enum ArchivePlace: Hashable, Sendable, ExpressibleByArgument, CustomStringConvertible {
    /// In the home.
    case home
    /// In a directory that a person named.
    case directory(String)

    init?(argument: String) {
        guard !argument.isEmpty else { return nil }
        self = .directory(argument)
    }

    var description: String {
        switch self {
        case .home: "the home's own"
        case .directory(let name): name
        }
    }

    static var defaultCompletionKind: CompletionKind { .directory }

    /// The directory, absolute; nil for the home's.
    /// - Throws: a ``Problem`` when it is none.
    func path(in context: CommandContext) throws(Problem) -> FilePath? {
        switch self {
        case .home: return nil
        case .directory(let name): return try ArchiveOptions.directory(name, in: context)
        }
    }
}
