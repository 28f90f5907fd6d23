package import LedgerSystem
import SystemPackage

/// Why the log could not do what it was asked: what happened and where, the cause, and what to do next.
package struct LogError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kinds of failure, for those who act on them.
    package enum Code: String, Hashable, Sendable, CaseIterable {
        /// The disk refused a call.
        case io = "disk failed"
        /// There is no room; what was staged was not written and the log can still be used.
        case full = "disk full"
        /// Another process holds the ledger.
        case locked
        /// There is no ledger here.
        case absent = "no ledger"
        /// Stored bytes are not what was written.
        case corrupted
        /// Checksums hold and roots or seals do not: someone changed it.
        case tampered
        /// Records that were durable once are gone from the end.
        case shorter
        /// A file that the manifest counts is not there.
        case missing
        /// Written by a newer program.
        case newerFormat = "newer format"
        /// An earlier call failed in a way that leaves the disk in doubt, or the log was closed.
        case poisoned = "closed"
        /// Asked for records that compaction took out of the log.
        case dropped
        /// Something stands where a new ledger, or a copy of one, should go.
        case occupied
        /// Larger than a limit of the format.
        case tooLarge = "too large"
    }

    /// What kind of failure.
    package let code: Code
    /// What happened, as a sentence without a full stop.
    package let what: String
    /// The file it is about, by its name in the home; nil when it is about none.
    package let file: String?
    /// Where in the file, in bytes.
    package let offset: UInt64?
    /// The disk call under it.
    package let cause: FileError?
    /// What is known about the rest; printed as the cause when no disk call is.
    package let detail: String?
    /// What to do next.
    package let next: String

    /// An error with its parts given.
    package init(
        _ code: Code, _ what: String, file: String? = nil, offset: UInt64? = nil, cause: FileError? = nil,
        detail: String? = nil, next: String
    ) {
        self.code = code
        self.what = what
        self.file = file
        self.offset = offset
        self.cause = cause
        self.detail = detail
        self.next = next
    }

    package var description: String {
        var text = "\(code.rawValue): \(what)"
        if let cause = cause?.description ?? detail { text += "\n  cause: \(cause)" }
        return text + "\n  next:  \(next)"
    }
}

extension LogError {
    /// A disk call that failed while the log was doing something.
    init(_ error: FileError, doing: String) {
        if error.isDiskFull {
            self.init(
                .full, "there is no room to \(doing)", file: error.path.lastComponent?.string, cause: error,
                next: "free some space and try again; nothing acknowledged was lost")
        } else if error.errno == .illegalByteSequence {
            let name = error.path.lastComponent?.string ?? ""
            self.init(
                .corrupted, "the archived segment '\(name)' is damaged: it can not be unpacked", file: name,
                detail: "a member of it does not hold its checksum, or it was packed anew by another program",
                next: Advice.restore("archive/" + name) + "; packed anew, 'gunzip' it: it is read as it is, too")
        } else if [.readOnlyFileSystem, .permissionDenied, .notPermitted].contains(error.errno) {
            self.init(
                .io, "the disk refused to \(doing)", file: error.path.lastComponent?.string, cause: error,
                next: "make it writable for you, or give another ledger's directory with --home")
        } else {
            self.init(
                .io, "the disk refused to \(doing)", file: error.path.lastComponent?.string, cause: error,
                next: "check the disk, then start again: the log recovers to what is durable")
        }
    }

    /// The error that every call on a log gives after this one.
    var poisoning: LogError {
        if code == .poisoned { return self }
        return LogError(
            .poisoned, "the log was closed after an earlier failure: \(what)", file: file, offset: offset,
            cause: cause, detail: detail, next: "open the ledger again: it recovers to what is durable")
    }
}

/// Runs a disk call, and says what for when it fails.
func disk<T>(_ doing: String, _ body: () throws(FileError) -> T) throws(LogError) -> T {
    do throws(FileError) {
        return try body()
    } catch {
        throw LogError(error, doing: doing)
    }
}

/// Does something with a file that the manifest counts. One that is not there is `.missing`: a compaction beside this
/// may have taken it, and then a later manifest says where it is.
func disk<T>(_ doing: String, counted path: FilePath, _ body: () throws(FileError) -> T) throws(LogError) -> T {
    do throws(FileError) {
        return try body()
    } catch {
        if error.errno == .noSuchFileOrDirectory, error.path == path { throw .missing(path) }
        throw LogError(error, doing: doing)
    }
}

/// Reads one of two copies of the same; nil also where the disk does not give it: that is damage as long as the other
/// copy is whole.
/// - Parameter unreadable: what the disk said, for when neither is.
func copy<Copy>(
    noting unreadable: inout LogError?, _ read: () throws(LogError) -> Copy?
) throws(LogError) -> Copy? {
    do throws(LogError) { return try read() } catch {
        guard error.code == .io else { throw error }
        unreadable = error
        return nil
    }
}

extension FixedWidthInteger {
    /// Digits in groups of three, as people read them: `81 920`.
    var grouped: String {
        var text = ""
        for (place, digit) in String(self).reversed().enumerated() {
            if place > 0, place % 3 == 0, digit != "-" { text.append(" ") }
            text.append(digit)
        }
        return String(text.reversed())
    }

    /// Hexadecimal with all its digits.
    var hexadecimal: String {
        let digits = String(self, radix: 16)
        return String(repeating: "0", count: Swift.max(0, Self.bitWidth / 4 - digits.count)) + digits
    }
}
