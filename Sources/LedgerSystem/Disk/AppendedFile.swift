import Synchronization
package import SystemPackage

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// A file of lines that grows at its end, whoever else writes to it (`O_APPEND`), and that another program may move
/// away: ``reopen()`` goes on in a new one under the old name.
package final class AppendedFile: Sendable {
    /// Where it is.
    package let path: FilePath
    private let file: Mutex<Descriptor>

    /// Opens a file, made with mode 0600 when it is missing; one that is there keeps its mode. A link is followed.
    package init(_ path: FilePath) throws(FileError) {
        self.path = path
        file = Mutex(try Self.open(path))
    }

    /// Opens what stands under the name now, made anew when it was moved away; after an error the old one stays in use.
    package func reopen() throws(FileError) {
        let opened = try Self.open(path)
        file.withLock { file in
            file.close()
            file = opened
        }
    }

    /// Writes all of a text at the end: not mixed with what other threads write, unless the disk takes it in pieces.
    /// `write(2)`; not synced.
    /// - Throws: `ENOSPC` and the like; a part of the text may have been written then.
    package func append(_ text: String) throws(FileError) {
        let bytes = Array(text.utf8)
        let file = file.withLock { $0 }
        try file.use("write", path) { number throws(FileError) in
            var written = 0
            while written < bytes.count {
                written += try systemCall("write", path) {
                    unsafe bytes.withUnsafeBytes { buffer in
                        unsafe writeBytes(number, buffer.baseAddress! + written, buffer.count - written)
                    }
                }
            }
        }
    }

    private static func open(_ path: FilePath) throws(FileError) -> Descriptor {
        Descriptor(try RealFileSystem().descriptor(path, O_WRONLY | O_APPEND | O_CREAT | O_NOCTTY, 0o600))
    }
}

private func writeBytes(_ number: CInt, _ bytes: UnsafeRawPointer, _ count: Int) -> Int {
    unsafe write(number, bytes, count)
}
