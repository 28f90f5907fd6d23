import LedgerModel
import LedgerSystem
import LedgerTestSupport
import LedgerTransfer
import SystemPackage
import Testing

/// What a crash left between `verified` and `completed`.
@Suite struct CutPublicationTests {
    private let body = OriginEntity.pattern(1 << 20)

    /// A part that is on record as verified.
    private func left(_ bench: Bench, keepingTime: Bool = false) throws -> Assignment {
        var assignment = try bench.assignment("/f.bin") { $0.keepsRemoteTime = keepingTime }
        var origin = try bench.known("/f.bin", length: UInt64(body.count))
        origin.lastModified = "Mon, 02 Mar 2026 10:00:00 GMT"
        try bench.left(body, of: origin, for: &assignment)
        assignment.verified = Assignment.Verified(
            length: UInt64(body.count), sha256: PieceTests.sha256(body[...]), path: bench.path("f.bin"))
        return assignment
    }

    @Test func `who is stopped leaves off, and the next one finishes it`() async throws {
        try await Bench.run { bench in
            let assignment = try left(bench)
            let worker = bench.worker
            let stopped = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                return await worker.finishPublication(of: assignment)
            }
            #expect(await stopped.value == .stopped)
            #expect(try bench.file("f.bin") == nil)
            #expect(await worker.finishPublication(of: assignment) == .completed(path: bench.path("f.bin")))
            // As after a crash behind the rename.
            #expect(await worker.finishPublication(of: assignment) == .completed(path: bench.path("f.bin")))
            #expect(try bench.file("f.bin") == body)
        }
    }

    @Test(arguments: [false, true])
    func `a part that was changed is not published`(isRenamed: Bool) async throws {
        try await Bench.run { bench in
            let assignment = try left(bench)
            let name = try #require(try bench.names.first)
            try bench.fileSystem.replaceContents(
                of: bench.directory.appending(isRenamed ? "f.bin" : name),
                with: Array(body.dropLast()) + [~body[body.count - 1]],
                permissions: 0o644)
            if isRenamed { try bench.fileSystem.unlink(bench.directory.appending(name)) }
            let end = await bench.worker.finishPublication(of: assignment)
            #expect(end.failure?.code == .partLost, "\(end)")
        }
    }

    @Test func `a name that was taken meanwhile is given up by one that has its time already`() async throws {
        try await Bench.run { bench in
            let assignment = try left(bench, keepingTime: true)
            try bench.fileSystem.replaceContents(
                of: bench.directory.appending("f.bin"), with: [1], permissions: 0o644)
            #expect(
                await bench.worker.finishPublication(of: assignment) == .completed(path: bench.path("f (1).bin")))
            #expect(try bench.file("f (1).bin") == body && bench.file("f.bin") == [1])
        }
    }
}
