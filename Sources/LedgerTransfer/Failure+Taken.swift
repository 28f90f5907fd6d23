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
}

extension Destination.Collision {
    /// Whether a finished file takes the place of what stands under its name: anything but a directory, and only when
    /// that was asked for.
    func mayReplace(_ standing: FileStatus) -> Bool { self == .overwrite && standing.kind != .directory }
}
