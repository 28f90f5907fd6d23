import LedgerModel
import LedgerSystem
import SystemPackage

extension DownloadWorker {
    /// The cookies that an order names, read now; nil when it names none.
    /// - Throws: a ``Failure`` for good when the file is not there, or is no file of cookies.
    func cookies(of order: Order) async throws(Failure) -> CookieFile? {
        guard let name = order.options.value.cookieFile else { return nil }
        let (fileSystem, path) = (fileSystem, FilePath(name))
        let bytes: [UInt8]?
        do throws(FileError) {
            bytes = try await blocking.run { () throws(FileError) -> [UInt8]? in
                guard try fileSystem.status(of: path) != nil else { return nil }
                let file = try fileSystem.open(path, .read)
                defer { file.close() }
                let status = try file.status()
                guard status.kind == .regular else { throw FileError("read", path, .illegalSeek) }
                guard status.length <= UInt64(CookieFile.fileBytesMax) else {
                    throw FileError("read", path, .fileTooLarge)
                }
                return try file.bytes(at: 0, count: Int(status.length))
            }
        } catch { throw Self.unusable(name, "can not be read: \(error)") }
        guard let bytes else { throw Self.unusable(name, "is not there") }
        guard let text = String(validating: bytes, as: UTF8.self),
            let cookies = CookieFile(parsing: text, now: clock.now())
        else { throw Self.unusable(name, "holds no cookies in Netscape's format") }
        return cookies
    }

    private static func unusable(_ name: String, _ why: String) -> Failure {
        Failure(.unsupported, "the file of cookies '\(name)' \(why)", isRetryable: false)
    }
}
