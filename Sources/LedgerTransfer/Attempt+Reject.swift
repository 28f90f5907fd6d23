import LedgerModel
import LedgerSystem
import SystemPackage

/// A part on record that failed its digest. It is set aside once the log does not claim it any more.
struct RejectedPart: Sendable {
    let part: PartFile
    /// Lets the log claim nothing: the next generation, which holds nothing.
    let release: Report
}

extension Attempt {
    /// Gives up a part that failed its digest.
    func reject(_ part: PartFile) async throws(Ending) {
        let isOnRecord = withState { state in
            guard state.generation == state.recordedGeneration, let origin = state.machine.held?.origin else {
                return false
            }
            state.rejected = RejectedPart(
                part: part, release: .resolved(origin, generation: state.recordedGeneration + 1))
            return true
        }
        if isOnRecord { return }
        do throws(Failure) { try await setAside(part) } catch { throw .failed(error) }
    }

    /// Puts a part that failed its digest beside where the file would have stood, as `<name>.rejected`.
    func setAside(_ part: PartFile) async throws(Failure) {
        let name = FileName.shortened(finalName, bytesMax: Destination.nameBytesMax) + ".rejected"
        let target = FilePath(assignment.order.destination.path(of: name))
        let fileSystem = worker.fileSystem
        try await disk { () throws(FileError) in
            try fileSystem.rename(part.path, to: target, replacing: true)
            try fileSystem.synchronizeDirectory(target.removingLastComponent())
        }
    }
}
