import Synchronization
package import SystemPackage

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// A stream that people or other programs read: standard output or standard error, unbuffered.
package final class Output: Sendable {
    /// Standard output: results.
    package static let standard = Output(descriptor: 1, "standard output")
    /// Standard error: what is said to people.
    package static let error = Output(descriptor: 2, "standard error")

    private let number: CInt
    private let name: FilePath
    private let writing = Mutex(())

    /// A stream on a descriptor of someone else's, which stays open; `name` is what errors call it.
    package init(descriptor number: Int32, _ name: FilePath) {
        self.number = number
        self.name = name
        // Asked for here, because whoever writes wants to hear of a closed pipe.
        Signals.ignoreFailedWrites()
    }

    /// Writes all of a text, not mixed with what other threads write. `write(2)`.
    /// - Throws: `EPIPE` when the reader is gone (see ``FileError/isBrokenPipe``), which for most commands is a good
    ///   end.
    package func write(_ text: String) throws(FileError) {
        let bytes = Array(text.utf8)
        let result = writing.withLock { _ -> Result<Void, FileError> in
            Result { () throws(FileError) in try writeAll(bytes) }
        }
        try result.get()
    }

    /// The size of the person's terminal at the other end, as it is now; nil when there is none. `isatty(3)`.
    package var terminal: Terminal.Size? { isatty(number) == 1 ? Terminal.size(behind: number) : nil }

    /// The device and the number of what is at the other end; nil when it is closed. `fstat(2)`.
    package var identity: (device: UInt64, inode: UInt64)? {
        var answer = stat()
        guard unsafe fstat(number, &answer) == 0 else { return nil }
        return (UInt64(truncatingIfNeeded: answer.st_dev), UInt64(answer.st_ino))
    }

    private func writeAll(_ bytes: [UInt8]) throws(FileError) {
        var written = 0
        while written < bytes.count {
            let count = unsafe bytes.withUnsafeBytes { buffer in
                #if canImport(Glibc)
                    unsafe Glibc.write(number, buffer.baseAddress! + written, buffer.count - written)
                #elseif canImport(Musl)
                    unsafe Musl.write(number, buffer.baseAddress! + written, buffer.count - written)
                #else
                    unsafe Darwin.write(number, buffer.baseAddress! + written, buffer.count - written)
                #endif
            }
            if count >= 0 {
                written += count
                continue
            }
            switch currentErrno() {
            case .interrupted: continue
            case .wouldBlock: waitForRoom()
            case let code: throw FileError("write", name, code)
            }
        }
    }

    /// Another program may have made the shared terminal or pipe non-blocking.
    private func waitForRoom() {
        var waiting = pollfd(fd: number, events: Int16(POLLOUT), revents: 0)
        unsafe _ = poll(&waiting, 1, -1)
    }
}

extension FileError {
    /// Whether whoever read this has gone: `EPIPE`.
    package var isBrokenPipe: Bool { errno == .brokenPipe }
}
