import LedgerModel
import LedgerSystem
import SystemPackage

/// A part on record that failed its digest. It is set aside once the log does not claim it any more.
struct RejectedPart: Sendable {
    let part: PartFile
    /// Where it is to be kept.
    let target: FilePath
    /// Lets the log claim nothing: the next generation, which holds nothing.
    let release: Report
}

extension Attempt {
    /// Where a part that failed its digest is kept: beside where the file would have stood, as `<name>.rejected`, or
    /// numbered where something else stands under that name. One with the same bytes goes: a wrong file that comes
    /// again and again, of an earlier attempt or another source, is kept once.
    func rejectedPath(of part: PartFile, _ length: UInt64) async throws(Ending) -> FilePath {
        let destination = assignment.order.destination
        let name = FileName.shortened(finalName, bytesMax: Destination.nameBytesMax) + ".rejected"
        let fileSystem = worker.fileSystem
        do throws(Failure) {
            for number in 0..<Publication.numberedNamesMax {
                let path = FilePath(destination.path(of: number == 0 ? name : FileName.numbered(name, number)))
                let standing = try await disk { () throws(FileError) in try fileSystem.status(of: path) }
                guard let standing else { return path }
                guard standing.kind == .regular, standing.length == length, await isCopy(path, of: part) else {
                    continue
                }
                try await removePart(path)
                return path
            }
            throw .destinationTaken(FilePath(destination.path(of: name)))
        } catch { throw .failed(error) }
    }

    /// Whether a file of the same length has the bytes of a part; what can not be read has others.
    private func isCopy(_ path: FilePath, of part: PartFile) async -> Bool {
        let fileSystem = worker.fileSystem
        return await worker.blocking.run {
            do throws(FileError) {
                let file = try fileSystem.open(path, .read)
                defer { file.close() }
                return try part.file.holds(0..<file.status().length, as: file)
            } catch { return false }
        }
    }

    /// Gives up a part that failed its digest; it is kept at `target`.
    func reject(_ part: PartFile, to target: FilePath) async throws(Ending) {
        let isOnRecord = withState { state in
            guard state.generation == state.recordedGeneration, let origin = state.machine.held?.origin else {
                return false
            }
            state.rejected = RejectedPart(
                part: part, target: target,
                release: .resolved(origin, generation: state.recordedGeneration.addingClamped(1)))
            return true
        }
        if isOnRecord { return }
        do throws(Failure) { try await setAside(part, at: target) } catch { throw .failed(error) }
    }

    /// Puts a part that failed its digest where it is kept.
    func setAside(_ part: PartFile, at target: FilePath) async throws(Failure) {
        let fileSystem = worker.fileSystem
        try await disk { () throws(FileError) in
            try fileSystem.rename(part.path, to: target, replacing: false)
            try fileSystem.synchronizeDirectory(target.removingLastComponent())
        }
    }
}
