package import SystemPackage

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Whose something is, and whether this process may write to it.
package struct Ownership: Hashable, Sendable {
    /// The number of the user whose it is.
    package let user: UInt32
    /// Whether this process may write there: permissions allow it, and the disk is not mounted for reading alone.
    package let mayWrite: Bool

    /// What is known of a path, behind links. `stat(2)`, `access(2)`.
    package init(of path: FilePath) throws(FileError) {
        var answer = stat()
        try systemCall("stat", path) { unsafe path.withPlatformString { unsafe looked($0, &answer) } }
        user = answer.st_uid
        mayWrite = unsafe path.withPlatformString { unsafe access($0, W_OK) } == 0
    }
}

private func looked(_ path: UnsafePointer<CChar>, _ answer: UnsafeMutablePointer<stat>) -> CInt {
    unsafe stat(path, answer)
}
