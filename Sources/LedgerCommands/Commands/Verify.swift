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
        let checkpoint = try keptCheckpoint(in: session)
        let identity = checkpoint == nil ? nil : try await session.prove { prover throws(LogError) in prover.identity }
        // One of another ledger vouches for nothing here.
        let voucher = checkpoint.flatMap { $0.identity == identity ? $0.head : nil }
        let (context, home, depth) = (session.context, session.home, quick ? LogVerifier.Depth.quick : .whole)
        let elsewhere = try archive?.path(in: context)
        if let elsewhere { try await warnOfNone(in: elsewhere, session) }
        let reach = archive == nil ? LogVerifier.ArchiveReach.nothing : .everything
        let threads = CurrentProcess.processors
        var log = try await session.atLength("verifying") { progress throws(LedgerError) in
            let verified = { (reach: LogVerifier.ArchiveReach) throws(LedgerError) -> VerificationReport in
                var verifier = LogVerifier(
                    home: home.path, fileSystem: context.world.fileSystem, depth: depth, archived: reach,
                    archive: elsewhere, checkpoint: voucher, threads: threads, progress: progress)
                do throws(LogError) { return try verifier.run() } catch { throw .log(error) }
            }
            let report = try verified(reach)
            // A checkpoint that is older than what the log holds is in the archive, perhaps.
            let isUnreached = report.findings.contains { $0.kind == .unreachedCheckpoint }
            guard reach == .nothing, isUnreached else { return report }
            let whole = try verified(.everything)
            return whole.findings.contains { $0.kind == .missingSegment } ? report : whole
        }
        if let checkpoint, let identity, voucher == nil {
            log.noteForeign(checkpoint, identity: identity, home: home.path)
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

    /// Says that a directory which somebody named holds no archived segments: those of the home are read then.
    private func warnOfNone(in directory: FilePath, _ session: LedgerSession) async throws(Problem) {
        let fileSystem = session.context.world.fileSystem
        let isEmpty = try await session.blocking { () throws(LedgerError) in
            do throws(LogError) { return try Manifest.archivedSegments(in: directory, fileSystem).isEmpty } catch {
                throw .log(error)
            }
        }
        if isEmpty { session.console.warn("no archived segment stands in '\(directory)'; the home's own are read") }
    }

    /// The checkpoint to compare with; nil for none.
    private func keptCheckpoint(in session: LedgerSession) throws(Problem) -> Checkpoint? {
        guard let against else { return nil }
        let bytes = try session.readBytes(against, "checkpoint", bytesMax: Checkpoint.textBytesMax)
        do throws(Checkpoint.Fault) { return try Checkpoint(parsing: String(decoding: bytes, as: UTF8.self)) } catch {
            throw Problem(
                .usage, "'\(against)' is no checkpoint: \(error.reason)",
                next: "give a file that holds the three lines of 'ledger checkpoint'", exitCode: .usage)
        }
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
