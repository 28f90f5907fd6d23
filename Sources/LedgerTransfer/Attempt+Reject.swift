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
        for number in 0..<Publication.numberedNamesMax {
            let path = FilePath(destination.path(of: number == 0 ? name : FileName.numbered(name, number)))
            let standing: FileStatus?
            do throws(Failure) {
                standing = try await disk { () throws(FileError) in try fileSystem.status(of: path) }
            } catch { throw .failed(error) }
            guard let standing else { return path }
            guard standing.kind == .regular, standing.length == length,
                try await holds(0..<length, of: part, in: path) ?? false
            else { continue }
            do throws(Failure) { try await removePart(path) } catch { throw .failed(error) }
            return path
        }
        throw .failed(.destinationTaken(FilePath(destination.path(of: name))))
    }

    /// Whether a range of a part has the same bytes in another file; nil where that can not be read.
    /// - Throws: that the run was stopped meanwhile.
    func holds(_ range: Range<UInt64>, of part: PartFile, in path: FilePath) async throws(Ending) -> Bool? {
        let fileSystem = worker.fileSystem
        let file: any File
        do throws(Failure) {
            file = try await disk { () throws(FileError) in try fileSystem.open(path, .read) }
        } catch { return nil }
        defer { file.close() }
        do throws(Ending) {
            return try await inTurns(range) { turn throws(Failure) in
                try LedgerTransfer.disk { () throws(FileError) in try part.file.holds(turn, as: file) }
            }
        } catch {
            guard case .stopped = error else { return nil }
            throw error
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
