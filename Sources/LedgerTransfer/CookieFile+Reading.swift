package import LedgerModel
package import LedgerSystem
import SystemPackage

extension CookieFile {
    /// The cookies that an order names, read now; nil when it names none. Blocks.
    /// - Throws: a ``Failure`` for good when the file is not there, or is no file of cookies.
    package static func read(
        for order: Order, in fileSystem: any FileSystem, now: Timestamp
    ) throws(Failure) -> CookieFile? {
        guard let name = order.options.value.cookieFile else { return nil }
        let bytes: [UInt8]?
        do throws(FileError) { bytes = try read(FilePath(name), in: fileSystem) } catch {
            throw unusable(name, "can not be read: \(error)")
        }
        guard let bytes else { throw unusable(name, "is not there") }
        guard let text = String(validating: bytes, as: UTF8.self), let cookies = CookieFile(parsing: text, now: now)
        else { throw unusable(name, "holds no cookies in Netscape's format") }
        return cookies
    }

    private static func read(_ path: FilePath, in fileSystem: any FileSystem) throws(FileError) -> [UInt8]? {
        guard try fileSystem.status(of: path) != nil else { return nil }
        let file = try fileSystem.open(path, .read)
        defer { file.close() }
        let status = try file.status()
        guard status.kind == .regular else { throw FileError("read", path, .illegalSeek) }
        guard status.length <= UInt64(fileBytesMax) else { throw FileError("read", path, .fileTooLarge) }
        return try file.bytes(at: 0, count: Int(status.length))
    }

    private static func unusable(_ name: String, _ why: String) -> Failure {
        Failure(.unsupported, "the file of cookies '\(name)' \(why)", isRetryable: false)
    }
}
