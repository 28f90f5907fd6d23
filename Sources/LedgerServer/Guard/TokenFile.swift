package import LedgerAPI
import LedgerCoding
package import LedgerEngine
import LedgerModel
package import LedgerSystem
import Synchronization
import SystemPackage

/// The file of tokens in a home, mode 0600: read anew whenever it is another file than before, so that a token that was
/// revoked opens nothing from then on.
package final class TokenFile: Sendable {
    private struct Known {
        var identity: [Int64]?
        var tokens = AccessTokens()
    }

    private let home: LedgerHome
    private var path: FilePath { home.tokens }
    private let fileSystem: any FileSystem
    private let known = Mutex(Known())

    /// The longest such file, in bytes.
    static let fileBytesMax = 256 << 10

    /// The tokens of a home.
    package init(_ home: LedgerHome, fileSystem: any FileSystem) {
        self.home = home
        self.fileSystem = fileSystem
    }

    /// The tokens as they are now.
    /// - Throws: a ``Problem`` when the file can not be read or is none of ours: nobody gets in then.
    package func tokens() throws(Problem) -> AccessTokens {
        let read: (identity: [Int64]?, bytes: [UInt8])
        do throws(FileError) {
            guard let status = try fileSystem.status(of: path) else {
                known.withLock { $0 = Known() }
                return AccessTokens()
            }
            guard status.kind == .regular, status.permissions & 0o077 == 0 else {
                throw FileError("open", path, .permissionDenied)
            }
            let identity = [
                Int64(bitPattern: status.inode), status.modifiedNanoseconds, Int64(bitPattern: status.length),
            ]
            if let tokens = known.withLock({ $0.identity == identity ? $0.tokens : nil }) { return tokens }
            read = (identity, try fileSystem.contents(of: path, bytesMax: Self.fileBytesMax) ?? [])
        } catch {
            throw Problem(
                .closed, "the tokens in '\(path)' can not be read", cause: "\(error)",
                next: "it is a file of 'ledger token', mode 0600: 'chmod 600 \(path)'")
        }
        do throws(JSONProblem) {
            let tokens = try AccessTokens(parsing: read.bytes)
            known.withLock { $0 = Known(identity: read.identity, tokens: tokens) }
            return tokens
        } catch {
            throw Problem(
                .closed, "'\(path)' is no file of tokens", cause: error.description,
                next: "remove it, and issue tokens anew with 'ledger token'")
        }
    }

    /// Changes the tokens, in a home that may be new; durable when it returns.
    /// - Throws: a ``Problem`` of `change`, or when another process changes them or the disk failed. Nothing is changed
    ///   then.
    package func edit<Answer>(
        _ change: (inout AccessTokens) throws(Problem) -> Answer
    ) throws(Problem) -> Answer {
        let lock: (any FileLock)?
        do throws(FileError) {
            try fileSystem.createDirectory(home.path, permissions: 0o700)
            lock = try fileSystem.lock(home.tokensLock)
        } catch { throw Problem(LedgerError.file(error)) }
        guard let lock else {
            throw Problem(.held, "another process changes the tokens of '\(home.path)'", next: "try again")
        }
        defer { lock.unlock() }
        var tokens = try tokens()
        let answer = try change(&tokens)
        do throws(FileError) {
            try fileSystem.replaceContents(of: path, with: tokens.bytes, permissions: 0o600)
        } catch { throw Problem(LedgerError.file(error)) }
        return answer
    }
}
