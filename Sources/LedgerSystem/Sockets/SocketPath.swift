import SystemPackage

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The longest path in bytes that fits the address of a Unix-domain socket (`sun_path` less its end).
private let socketPathBytesMax = MemoryLayout.size(ofValue: sockaddr_un().sun_path) - 1

/// Calls `body` with a path to the same socket that fits its address: a longer one goes through a descriptor of its
/// directory, `/proc/self/fd/7/ledger.sock`, on systems that have `/proc`. Elsewhere it is `ENAMETOOLONG`.
func withSocketPath<Answer>(
    _ path: FilePath, _ body: (FilePath) throws(FileError) -> Answer
) throws(FileError) -> Answer {
    guard path.string.utf8.count > socketPathBytesMax, let name = path.lastComponent else { return try body(path) }
    let number = try RealFileSystem().descriptor(path.removingLastComponent(), O_RDONLY | O_DIRECTORY)
    let directory = Descriptor(number)
    defer { directory.close() }
    return try body(FilePath("/proc/self/fd/\(number)").appending(name))
}
