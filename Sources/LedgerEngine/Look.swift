import LedgerModel
import LedgerSystem
import SystemPackage

/// A file that only its bytes tell of.
struct UnreadFile: Sendable {
    let id: DownloadID
    let path: FilePath
    let status: FileStatus
}

/// What a look at the files of one download knows of their bytes.
struct FileReading: Sendable {
    /// A file that was read, and its SHA-256.
    var known: (file: UnreadFile, sha256: Digest)?
    /// The file that has to be read first: what the look came to means nothing then.
    var unread: UnreadFile?

    /// The sum of a file; nil when it has to be read first.
    mutating func sha256(of path: FilePath, _ status: FileStatus, _ id: DownloadID) -> Digest? {
        if let known, known.file.path == path, known.file.status == status { return known.sha256 }
        unread = UnreadFile(id: id, path: path, status: status)
        return nil
    }
}

/// What looking at the files of one download came to.
struct Look: Sendable {
    let id: DownloadID
    let outcome: Result<Observation?, Failure>
    /// The file that has to be read before this means anything.
    private(set) var unread: UnreadFile?

    init(_ id: DownloadID, _ outcome: Result<Observation?, Failure>) {
        self.id = id
        self.outcome = outcome
    }

    init(
        _ id: DownloadID, _ known: FileReading, _ observe: (inout FileReading) throws(Failure) -> Observation?
    ) {
        self.id = id
        var reading = known
        do throws(Failure) {
            let observation = try observe(&reading)
            outcome = .success(reading.unread == nil ? observation : nil)
            unread = reading.unread
        } catch { outcome = .failure(error) }
    }

    var observation: Observation? {
        if case .success(let observation) = outcome { observation } else { nil }
    }

    var failure: Failure? {
        if case .failure(let failure) = outcome { failure } else { nil }
    }
}
