package import LedgerModel

/// A file on disk that is not what the log says of it.
package struct FileFinding: Hashable, Sendable {
    /// What is otherwise.
    package enum Kind: String, Hashable, Sendable, CaseIterable {
        /// A finished file is gone.
        case missing = "file-missing"
        /// A finished file holds other bytes.
        case altered = "file-altered"
        /// A finished file can not be read.
        case unreadable = "file-unreadable"
        /// A part file is gone, or shorter than what is on record of it.
        case partMissing = "part-missing"
        /// A part file holds other bytes where it is on record.
        case partAltered = "part-altered"
    }

    /// What is otherwise.
    package let kind: Kind
    /// The download it is of.
    package let id: DownloadID
    /// Its absolute path.
    package let path: String
    /// The bytes it is about, in a part file; nil when it is about all of it.
    package let range: Range<UInt64>?
    /// Whether the ledger has taken note of it already.
    package let isOnRecord: Bool
    /// What was seen, as a sentence without a full stop.
    package let what: String

    /// Whether the ledger puts it right by itself: a part is fetched again.
    package var isRecoverable: Bool { kind == .partMissing || kind == .partAltered }
}

/// What comparing files with the log came to.
package struct FileReport: Hashable, Sendable {
    /// What is otherwise, by the numbers of the downloads.
    package internal(set) var findings: [FileFinding] = []
    /// The files there are.
    package internal(set) var files = 0
    /// Those that were looked at.
    package internal(set) var checked = 0
    /// The bytes of finished and part files that were read and are right.
    package internal(set) var bytes: UInt64 = 0
}
