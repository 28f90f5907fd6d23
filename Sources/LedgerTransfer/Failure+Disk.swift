package import LedgerModel
package import LedgerSystem
import SystemPackage

extension Failure {
    /// Whether our own disk is what failed, whatever came from the origin.
    var isOfDisk: Bool { code == .disk || code == .diskFull }

    /// What a failed disk call means for a transfer.
    ///
    /// No room waits for room; a refusal (permissions, a name too long) is final until someone changes it; an I/O error
    /// may pass, and so may a disk that can only be read: the kernel makes one so behind an error, until it is mounted
    /// anew.
    package static func disk(_ error: FileError) -> Failure {
        if error.isDiskFull {
            return Failure(
                .diskFull, "no room on the disk that holds '\(error.path)'; what arrived is kept", isRetryable: true)
        }
        switch error.errno {
        case .fileTooLarge:
            return Failure(
                .disk,
                "'\(error.path)' would be longer than a file may be here: its file system or the limit of this process "
                    + "('ulimit -f') forbids it", isRetryable: false)
        case .permissionDenied, .notPermitted, .notDirectory, .fileNameTooLong, .isDirectory,
            .tooManySymbolicLinkLevels:
            return Failure(.disk, "can not write '\(error.path)': \(error.errno) (\(error.call))", isRetryable: false)
        case .noSuchFileOrDirectory:
            return Failure(
                .disk, "'\(error.path)' is not there any more: it was moved or removed meanwhile (\(error.call))",
                isRetryable: true)
        default:
            return Failure(
                .disk, "the disk failed at '\(error.path)': \(error.errno) (\(error.call))", isRetryable: true)
        }
    }
}

/// Runs disk calls and says what their failure means for a transfer.
/// - Throws: ``LedgerModel/Failure/disk(_:)`` of the call that failed.
package func disk<T>(_ body: () throws(FileError) -> T) throws(Failure) -> T {
    do { return try body() } catch { throw Failure.disk(error) }
}
