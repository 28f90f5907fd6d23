import LedgerModel
import LedgerSystem
import SystemPackage

/// The finished file stands while its origin is asked for a newer one.
extension Attempt {
    /// Lets the origin answer that nothing has changed, as long as the finished file is there as it was published; else
    /// it is fetched like any other.
    func askUnderCondition() async throws(Ending) {
        guard let condition = assignment.standing?.origin?.condition, try await isStanding() else { return }
        withState { $0.machine.condition = condition }
    }

    /// Whether the finished file still is the one that was published.
    func isStanding() async throws(Ending) -> Bool {
        guard let file = assignment.standing?.file else { return false }
        let fileSystem = worker.fileSystem
        do throws(Failure) {
            let status = try await disk { () throws(FileError) in try fileSystem.status(of: FilePath(file.path)) }
            return status?.isSame(as: file.identity) ?? false
        } catch { throw .failed(error) }
    }

    /// The finished file is what the origin has: what was fetched of another one goes.
    func remainUnchanged() async throws(Ending) -> Never {
        guard let file = assignment.standing?.file else { preconditionFailure("only what stands can remain") }
        try await report([.unchanged])
        let (part, generation) = withState { ($0.part, $0.generation) }
        part?.close()
        do throws(Failure) {
            if generation > 0 { try await removePart(partPath(generation)) }
        } catch { throw .failed(error) }
        try await clearParts(keeping: nil)
        throw .completed(path: file.path)
    }
}
