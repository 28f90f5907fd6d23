package import LedgerAPI
import LedgerCoding
import LedgerLog
import LedgerModel
import LedgerSystem
import SystemPackage

extension Problem {
    /// What people and scripts are told of an error of the ledger.
    package init(_ error: LedgerError) {
        switch error {
        case .log(let error):
            self.init(error)
        case .file(let error) where error.isOfThread:
            self.init(
                .disk, "no thread '\(error.path)' can be started", cause: error.errno.description,
                next: "raise the limit of threads (\(FileError.threadLimits)), then repeat the command; nothing "
                    + "acknowledged was lost", exitCode: .disk)
        case .file(let error):
            let next =
                if error.isDiskFull {
                    "make room and repeat the command; nothing acknowledged was lost"
                } else if error.errno == .ioError {
                    "check the disk, then repeat the command; nothing acknowledged was lost"
                } else {
                    "check the path and its permissions, then repeat the command"
                }
            self.init(
                error.isDiskFull ? .diskFull : .disk, "the disk refused '\(error.path)'", cause: error.description,
                next: next, exitCode: .disk)
        case .coding(let error):
            self.init(
                error.needsUpdate ? .tooNew : .corrupted, error.description, cause: error.cause, next: error.next,
                exitCode: error.needsUpdate ? .tooNew : .corruption)
        case .closed:
            self.init(
                .closed, "the ledger was closed while it was asked", next: "repeat the command", exitCode: .failed)
        case .pastEnd(let point, let last):
            self.init(
                .notFound, "\(point.words) lies behind the end of the log",
                cause: "the last event is \(last)", next: "ask for \(last) or an earlier point", exitCode: .failed)
        case .compacted(let point, let through, let missing):
            self.init(
                .notFound, "\(point.words) was compacted away",
                cause: "the log begins after event \(through)" + Self.words(away: missing),
                next: "ask for a later point, or one in the archive ('--archive DIR' says where it is); what was "
                    + "dropped is gone",
                exitCode: .missing)
        }
    }

    /// How many files of an archive are named at most; more are counted.
    private static let filesNamedMax = 3

    /// That these files are not in the archive, behind what else is said; nothing when there are none.
    package static func words(away files: [String]) -> String {
        guard !files.isEmpty else { return "" }
        let named = files.prefix(filesNamedMax).map { "'\($0)'" }.joined(separator: ", ")
        let more = files.count > filesNamedMax ? " and \(files.count - filesNamedMax) more" : ""
        return ", and \(named)\(more) \(files.count == 1 ? "is" : "are") not in the archive"
    }

    private init(_ error: LogError) {
        let code: Code
        let exitCode: ExitCode
        switch error.code {
        case .io, .poisoned: (code, exitCode) = (.disk, .disk)
        case .full: (code, exitCode) = (.diskFull, .disk)
        case .locked: (code, exitCode) = (.held, .heldElsewhere)
        case .absent: (code, exitCode) = (.noLedger, .noLedger)
        case .corrupted: (code, exitCode) = (.corrupted, .corruption)
        case .tampered: (code, exitCode) = (.tampered, .tampering)
        case .shorter: (code, exitCode) = (.missing, .shorterThanCheckpoint)
        case .missing, .dropped: (code, exitCode) = (.missing, .missing)
        case .newerFormat: (code, exitCode) = (.tooNew, .tooNew)
        case .tooLarge, .occupied: (code, exitCode) = (.refused, .failed)
        }
        self.init(
            code, error.what, cause: error.cause?.description ?? error.detail, next: error.next, exitCode: exitCode)
    }
}

extension LogPoint {
    /// The point as a person named it.
    fileprivate var words: String {
        switch self {
        case .sequence(let sequence): "event \(sequence)"
        case .time(let time): time.rfc3339
        }
    }
}
