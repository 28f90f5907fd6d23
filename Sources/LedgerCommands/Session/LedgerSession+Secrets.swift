import LedgerAPI
import LedgerEngine
import LedgerModel
import LedgerSystem
import SystemPackage

/// What opens doors and stands in files, for the requests of one command.
struct RequestSecrets: Hashable, Sendable {
    /// The passwords of `.netrc`; nil when it is not there, or not to be looked into.
    var netrc: Netrc?
    /// The token of `--bearer`.
    var bearer: String?
}

extension LedgerSession {
    /// The longest file with a token, in bytes.
    static let tokenBytesMax = 64 << 10

    /// Reads the files of secrets that the flags name, and `~/.netrc`. Says when others can read the passwords too.
    func secrets(_ options: RouteOptions) throws(Problem) -> RequestSecrets {
        RequestSecrets(netrc: try netrc(options), bearer: try options.bearer.map(bearer))
    }

    private func netrc(_ options: RouteOptions) throws(Problem) -> Netrc? {
        guard !options.noNetrc, let name = options.netrc ?? context.environment["HOME"].map({ $0 + "/.netrc" }) else {
            return nil
        }
        let path = context.path(name)
        let found: (text: String, permissions: UInt16)?
        do throws(Problem) {
            found = try text(
                of: path, "the file of passwords", bytesMax: Netrc.fileBytesMax, mayBePipe: options.netrc != nil)
        } catch {
            // Nobody named it: of another user, as under a service that keeps HOME, it is not ours to read.
            guard options.netrc == nil else { throw error }
            console.warn("'\(path)' is passed over: \(error.cause ?? error.message)")
            return nil
        }
        guard let text = found else {
            guard options.netrc != nil else { return nil }
            throw Problem(
                .usage, "the file of passwords '\(path)' can not be found", next: "give its path, or leave it out",
                exitCode: .usage)
        }
        if text.permissions & 0o077 != 0 {
            console.warn("the passwords in '\(path)' can be read by others; 'chmod 600 \(path)' ends that")
        }
        do throws(Netrc.SyntaxError) { return try Netrc(parsing: text.text) } catch {
            throw Problem(
                .usage, "a quote on line \(error.line) of '\(path)' does not end",
                next: "end it with \", or write \\\" where it belongs to a password", exitCode: .usage)
        }
    }

    private func bearer(_ text: String) throws(Problem) -> String {
        guard text.hasPrefix("@") else { return text }
        let name = String(text.dropFirst())
        guard name != "-" else {
            do throws(FileError) {
                return String(decoding: try context.readInput(), as: UTF8.self).trimmingSpace()
            } catch {
                throw Problem(LedgerError.file(error))
            }
        }
        let path = context.path(name)
        guard let token = try self.text(of: path, "the file of the token", bytesMax: Self.tokenBytesMax) else {
            throw Problem(
                .usage, "the file of the token '\(path)' can not be found", next: "give its path: --bearer @FILE",
                exitCode: .usage)
        }
        return token.text.trimmingSpace()
    }

    /// A whole file of text and its permissions, those of a pipe being nobody else's; nil when it is not there.
    private func text(
        of path: FilePath, _ what: String, bytesMax: Int, mayBePipe: Bool = true
    ) throws(Problem) -> (text: String, permissions: UInt16)? {
        do throws(FileError) {
            if mayBePipe, let bytes = try Input.stream(at: path, bytesMax: bytesMax) {
                return (String(decoding: bytes.withoutByteOrderMark, as: UTF8.self), 0o600)
            }
            return try context.world.fileSystem.regularFile(at: path, bytesMax: bytesMax).map { bytes, status in
                // Of the file itself: a link to it is open to all.
                (String(decoding: bytes.withoutByteOrderMark, as: UTF8.self), status.permissions)
            }
        } catch {
            throw Problem(
                .usage, "\(what) '\(path)' can not be read", cause: error.description,
                next: "it is a file or a pipe of at most \(bytesMax) bytes", exitCode: .usage)
        }
    }
}
