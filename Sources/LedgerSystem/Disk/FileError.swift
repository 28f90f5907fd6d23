package import SystemPackage

/// A disk call that failed: which, on what, and why.
package struct FileError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The system call, by its name in section 2 of the manual.
    package let call: String
    /// What it was called on.
    package let path: FilePath
    /// What it answered.
    package let errno: Errno

    /// A failed call.
    package init(_ call: String, _ path: FilePath, _ errno: Errno) {
        self.call = call
        self.path = path
        self.errno = errno
    }

    /// Whether there is no room: `ENOSPC` or `EDQUOT`.
    package var isDiskFull: Bool { errno == .noSpace || errno == .diskQuotaExceeded }

    /// Whether it was no disk that failed: there are as many threads as there may be.
    package var isOfThread: Bool { call == Self.newThread }
    static let newThread = "pthread_create"
    /// What says how many threads there may be.
    package static let threadLimits = "'ulimit -u', 'ulimit -v', TasksMax=, --pids-limit"

    package var description: String { "\(call) '\(path)': \(errno)" }
}
