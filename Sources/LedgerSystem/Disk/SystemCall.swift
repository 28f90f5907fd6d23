import SystemPackage

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Makes a system call that answers -1 and `errno`, again when a signal interrupted it, and turns its failure into an
/// error that says what was called on what.
@discardableResult
func systemCall<Answer: SignedInteger & Sendable>(
    _ call: String, _ path: FilePath, _ body: () -> Answer
) throws(FileError) -> Answer {
    while true {
        let answer = body()
        if answer != -1 { return answer }
        let code = currentErrno()
        if code != .interrupted { throw FileError(call, path, code) }
    }
}

/// What the last failed call of this thread left in `errno`.
func currentErrno() -> Errno { Errno(rawValue: errno) }

/// Nanoseconds of a `timespec`, held at the ends of what 64 bits can say (the years 1677 and 2262).
func nanoseconds(_ time: timespec) -> Int64 {
    let (whole, overflow) = Int64(time.tv_sec).multipliedReportingOverflow(by: 1_000_000_000)
    if overflow { return time.tv_sec < 0 ? .min : .max }
    let (sum, carried) = whole.addingReportingOverflow(Int64(time.tv_nsec))
    return carried ? .max : sum
}
