import ArgumentParser
import LedgerAPI
import LedgerCoding
import LedgerEngine
import LedgerHolder
import LedgerLog
import LedgerModel
import LedgerSystem
import LedgerViews
import SystemPackage

/// `ledger backup`.
struct Backup: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Copy the ledger, while it is in use, and verify the copy.",
        usage: "ledger backup <dir> [<options>]",
        discussion: """
            The directory opens as a home: the log up to its last durable batch, snapshots, archive, secrets (mode \
            0600) and configuration; no downloaded files. A backup into the same directory copies what is new. One \
            that is cut short leaves the backup before it, or one that says it is not whole: type the same again. What \
            was compacted away or redacted since leaves the backup too. Exits as 'ledger verify' of the copy does, and \
            with 1 when a damaged file of secrets or tokens was left out for the whole one that the backup has. Warns \
            of what was archived and stands neither in the archive nor in the backup.

            The copy is the same ledger: do not let both run. Where it takes the other's place, it knows nothing of \
            what came after the backup: files that were finished since are fetched again, under numbered names.

            EXAMPLE
              ledger backup /mnt/usb/ledger
              ledger list --home /mnt/usb/ledger
            """)

    @Argument(
        help: ArgumentHelp("Where the backup goes; made when missing.", valueName: "dir"), completion: .directory)
    var directory: String

    @OptionGroup var global: GlobalOptions

    func validate() throws {
        if directory.isEmpty { throw ValidationError("The backup's directory has no name.") }
    }

    func run() async throws {
        let session = try await LedgerSession(global)
        let context = session.context
        let target = FilePath(
            Paths.absolute(directory, from: context.directory, home: context.environment["HOME"])
        ).lexicallyNormalized()
        let (home, fileSystem) = (session.home, context.world.fileSystem)
        let isOwn = try await session.blocking { () throws(LedgerError) in
            do throws(FileError) { return try home.components(of: target, fileSystem) != nil } catch {
                throw .file(error)
            }
        }
        guard !isOwn else {
            throw Problem(
                .usage, "a ledger can not be backed up into its own home '\(home.path)'",
                next: "name a directory beside it, best on another disk", exitCode: .usage)
        }
        let (companions, kept) = try await companions(of: session, in: target)
        let (made, verified, archive) = try await session.blocking { () throws(LedgerError) in
            typealias Copy = (made: LogBackup.Report, verified: VerificationReport, archive: ArchiveSurvey)
            func copy(isFresh: Bool) throws(LogError) -> Copy {
                var backup = LogBackup(
                    home: home.path, target: target, companions: companions, isFresh: isFresh,
                    fileSystem: fileSystem)
                return try backup.run { made throws(LogError) in
                    var verifier = LogVerifier(home: target, fileSystem: fileSystem, archived: .present)
                    return (made, try verifier.run(), try ArchiveSurvey(home: target, fileSystem: fileSystem))
                }
            }
            do throws(LogError) {
                let first = try copy(isFresh: false)
                // What was copied years ago may have rotted since, behind a seal that holds.
                let isGood = first.verified.findings.isEmpty || first.made.filesKept == 0
                return isGood ? first : try copy(isFresh: true)
            } catch { throw .log(error) }
        }
        let view = VerificationView(verified)
        if global.json {
            try session.console.printLast([Self.json(made, view, archive).description])
        } else {
            try session.console.printLast([Self.sentence(made)] + view.lines)
        }
        if let missing = archive.missingWords {
            session.console.warn("\(missing) neither here nor in the backup: keep a copy of where they were moved to")
        }
        kept.forEach(session.report)
        if view.exitCode != .done || !kept.isEmpty {
            throw Exit(code: view.exitCode == .done ? .failed : view.exitCode)
        }
    }

    private static func sentence(_ report: LogBackup.Report) -> String {
        "\(Figures.counted(report.filesCopied, "file")) copied, \(Figures.size(report.bytesCopied)); "
            + "\(Figures.count(UInt64(report.filesKept))) there already; up to event \(report.last)"
    }

    private static func json(
        _ report: LogBackup.Report, _ view: VerificationView, _ archive: ArchiveSurvey
    ) -> JSONValue {
        guard case .object(let verification) = view.json, case .object(var summary)? = verification["summary"] else {
            return view.json
        }
        summary["filesCopied"] = JSONValue(report.filesCopied)
        summary["bytesCopied"] = JSONValue(report.bytesCopied)
        summary["filesKept"] = JSONValue(report.filesKept)
        summary["archiveMissing"] = .array(
            archive.missing.map { [JSONValue($0.lowerBound.rawValue), JSONValue($0.upperBound.rawValue)] })
        return ["summary": .object(summary)]
    }
}
