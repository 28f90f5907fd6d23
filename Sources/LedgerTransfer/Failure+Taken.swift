import LedgerModel
import LedgerSystem
import SystemPackage

extension Failure {
    /// Something stands where the file goes that it can not take the place of.
    static func destinationTaken(_ path: FilePath) -> Failure {
        Failure(
            .destinationTaken,
            "something else stands at '\(path)': move it away and retry, or give another name with -o",
            isRetryable: false)
    }

    /// A client that is confined would have a file for its own that is none of the ledger's.
    static func foreignFile(_ path: FilePath) -> Failure {
        Failure(
            .destinationTaken,
            "a file that this ledger did not download stands at '\(path)', and is no API client's to take over: move "
                + "it away and retry, or delete this download and take the file over with 'ledger add --skip'",
            isRetryable: false)
    }

    /// A directory that a client was given, or that a server named, is behind a link.
    static func linkInTheWay(_ directory: FilePath, to place: FilePath?) -> Failure {
        Failure(
            .destinationTaken,
            "a symbolic link has come to stand in '\(directory)' and leads "
                + (place.map { "to '\($0)'" } ?? "nowhere")
                + ": put the directory back and retry, or ask again with the place it leads to",
            isRetryable: false)
    }
}

extension Destination.Collision {
    /// Whether a finished file takes the place of what stands under its name: of a file or a link, and only when that
    /// was asked for. A device or a pipe is never made a file of: root may have named `/dev/null`.
    func mayReplace(_ standing: FileStatus) -> Bool {
        self == .overwrite && (standing.kind == .regular || standing.kind == .symbolicLink)
    }
}
