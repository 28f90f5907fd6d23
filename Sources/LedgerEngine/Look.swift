import LedgerModel
import LedgerSystem
import SystemPackage

/// A file that only its bytes tell of.
struct UnreadFile: Sendable {
    let path: FilePath
    let status: FileStatus
}

/// A file that was read to its end.
struct ReadFile: Sendable {
    let path: FilePath
    /// What it was before it was read.
    let status: FileStatus
    let sha256: Digest
    /// Whether it counts whatever the file has become since: it changes again and again while it is read.
    let isLast: Bool
}

/// What a look at the files of one download knows of their bytes.
struct FileReading: Sendable {
    let known: ReadFile?
    /// The file that has to be read first: what the look came to means nothing then.
    private(set) var unread: UnreadFile?

    init(known: ReadFile?) { self.known = known }

    /// A file as it was read; nil when it has to be read first.
    mutating func file(at path: FilePath, _ status: FileStatus) -> ReadFile? {
        if let known, known.path == path, known.isLast || known.status == status { return known }
        unread = UnreadFile(path: path, status: status)
        return nil
    }
}

/// What looking at the files of one download came to.
struct Look: Sendable {
    let id: DownloadID
    /// The file that has to be read before anything is known.
    let unread: UnreadFile?
    private let outcome: Result<Observation?, Failure>

    init(_ id: DownloadID, _ outcome: Result<Observation?, Failure>) {
        (self.id, self.outcome, unread) = (id, outcome, nil)
    }

    init(
        _ id: DownloadID, _ known: [DownloadID: ReadFile],
        _ observe: (inout FileReading) throws(Failure) -> Observation?
    ) {
        var reading = FileReading(known: known[id])
        outcome = Result { () throws(Failure) in try observe(&reading) }
        (self.id, unread) = (id, reading.unread)
    }

    /// What is to be recorded; nil for nothing, and where nothing is known.
    var observation: Observation? {
        if unread == nil, case .success(let observation) = outcome { observation } else { nil }
    }

    /// Why nothing is known; nil when all is.
    var failure: Failure? {
        if let unread {
            return Failure(.disk, "'\(unread.path)' was not read to its end", isRetryable: true)
        }
        return if case .failure(let failure) = outcome { failure } else { nil }
    }
}
