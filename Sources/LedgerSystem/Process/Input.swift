package import SystemPackage

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// What comes in on standard input, or on another pipe.
package enum Input {
    /// How much is read at once.
    private static let chunkBytes = 64 << 10

    /// Everything up to the end of standard input. `read(2)`; blocks.
    /// - Parameter bytesMax: reading more than this is the error `EFBIG`.
    package static func readToEnd(bytesMax: Int) throws(FileError) -> [UInt8] {
        try readToEnd(0, "standard input", bytesMax: bytesMax)
    }

    /// Everything up to the end of a pipe or a device that a person named, such as the `/dev/fd/63` of a shell's
    /// `<(...)`; nil for a file, a directory, and what is not there. `stat(2)`, `open(2)`, `read(2)`; blocks, also
    /// until someone writes.
    /// - Parameter bytesMax: reading more than this is the error `EFBIG`.
    package static func stream(at path: FilePath, bytesMax: Int) throws(FileError) -> [UInt8]? {
        var answer = stat()
        // Why it can not be looked at is said by whoever opens it as a file.
        guard unsafe path.withPlatformString({ unsafe stat($0, &answer) }) == 0 else { return nil }
        let kind = answer.st_mode & S_IFMT
        guard kind == S_IFIFO || kind == S_IFCHR else { return nil }
        let descriptor = try systemCall("open", path) {
            unsafe path.withPlatformString { unsafe open($0, O_RDONLY | O_CLOEXEC) }
        }
        defer { close(descriptor) }
        return try readToEnd(descriptor, path, bytesMax: bytesMax)
    }

    private static func readToEnd(
        _ descriptor: CInt, _ path: FilePath, bytesMax: Int
    ) throws(FileError) -> [UInt8] {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: chunkBytes)
        while true {
            let count = try systemCall("read", path) {
                unsafe chunk.withUnsafeMutableBytes { unsafe read(descriptor, $0.baseAddress, $0.count) }
            }
            if count == 0 { return bytes }
            bytes += chunk[..<count]
            guard bytes.count <= bytesMax else { throw FileError("read", path, .fileTooLarge) }
        }
    }

    /// Whether a person types it. `isatty(3)`.
    package static var isTerminal: Bool { isatty(0) == 1 }

    /// The longest line that is handed over in one piece, in bytes: what a terminal holds.
    package static let lineBytesMax = 4096

    /// The next line, without its end; nil at the end of standard input. `read(2)`, a byte at a time, so that nothing
    /// behind the line is taken; blocks.
    /// - Parameter bytesMax: a longer line is handed over in pieces.
    package static func line(bytesMax: Int) throws(FileError) -> String? {
        var bytes: [UInt8] = []
        while bytes.count < bytesMax {
            var byte: UInt8 = 0
            let count = try systemCall("read", "standard input") { unsafe read(0, &byte, 1) }
            if count == 0 { return bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self) }
            if byte == UInt8(ascii: "\n") { break }
            bytes.append(byte)
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
