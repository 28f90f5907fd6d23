import SystemPackage

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

extension RealFileSystem {
    /// There is one kernel to be told by.
    private static let failedSyncs = FailedSyncs()

    package var failedSyncs: FailedSyncs { Self.failedSyncs }

    /// The error of a sync that has just failed on an open file or directory, noted in ``failedSyncs``.
    static func noted(_ call: String, _ path: FilePath, _ number: CInt) -> FileError {
        let error = FileError(call, path, currentErrno())
        var answer = stat()
        // Of an open file there is always an answer.
        if unsafe fstat(number, &answer) == 0 { failedSyncs.note(error, on: FileStatus(answer).device) }
        return error
    }
}
