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
        do throws(FileError) {
            bytes = try fileSystem.regularFile(at: FilePath(name), bytesMax: fileBytesMax)?.bytes
        } catch {
            throw unusable(name, "can not be read: \(error)")
        }
        guard let bytes else { throw unusable(name, "is not there") }
        guard let text = String(validating: bytes, as: UTF8.self), let cookies = CookieFile(parsing: text, now: now)
        else { throw unusable(name, "holds no cookies in Netscape's format") }
        return cookies
    }

    private static func unusable(_ name: String, _ why: String) -> Failure {
        Failure(.unsupported, "the file of cookies '\(name)' \(why)", isRetryable: false)
    }
}
