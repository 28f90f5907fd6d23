import SystemPackage

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// What comes in on standard input.
package enum Input {
    /// How much is read at once.
    private static let chunkBytes = 64 << 10

    /// Everything up to the end of standard input. `read(2)`; blocks.
    /// - Parameter bytesMax: reading more than this is the error `EFBIG`.
    package static func readToEnd(bytesMax: Int) throws(FileError) -> [UInt8] {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: chunkBytes)
        while true {
            let count = try systemCall("read", "standard input") {
                unsafe chunk.withUnsafeMutableBytes { buffer in unsafe read(0, buffer.baseAddress, buffer.count) }
            }
            if count == 0 { return bytes }
            bytes += chunk[..<count]
            guard bytes.count <= bytesMax else { throw FileError("read", "standard input", .fileTooLarge) }
        }
    }
}
