import LedgerModel
import LedgerSystem
import LedgerTestSupport
import LedgerTransfer
import Testing

/// Ten thousand answers that are spoilt in ten thousand ways. A failing case names itself: `LEDGER_CASE=SEED:NUMBER`
/// runs it alone.
@Suite(.timeLimit(.minutes(30))) struct MalformedTests {
    static let casesMax = 10_000
    /// How many run at a time.
    static let lanes = 8
    /// What all of them together may keep, in bytes.
    static let growthBytesMax = 256 << 20

    @Test func `whatever an origin sends, no file is called complete that is not`() async throws {
        let cases = try Self.cases()
        let origin = try await OriginServer.start()
        let blocking = BlockingPool()
        let before = try ProcessUse.residentBytes()
        var ends: [String: Int] = [:]
        try await withThrowingTaskGroup(of: String.self) { group in
            for (index, example) in cases.enumerated() {
                if index >= Self.lanes, let end = try await group.next() { ends[end, default: 0] += 1 }
                group.addTask { try await Self.run(example, origin, blocking) }
            }
            for try await end in group { ends[end, default: 0] += 1 }
        }
        #expect(try ProcessUse.connections(toPort: origin.port) == 0)
        #expect(try ProcessUse.residentBytes() - before < Self.growthBytesMax)
        try await origin.stop()
        if Sweep.isWhole { print("malformed: \(ends.sorted { $0.value > $1.value }.map { "\($0.value) \($0.key)" })") }
        guard cases.count > 1 else { return }
        // Some are harmless and some are not: else nothing was tried.
        #expect(ends["completed", default: 0] > cases.count / 5)
        #expect(ends["completed", default: 0] < cases.count * 4 / 5)
    }

    private static func run(
        _ example: MalformedCase, _ origin: OriginServer, _ blocking: BlockingPool
    ) async throws -> String {
        let (end, problems) = try await MalformedRun(example, origin: origin, blocking: blocking).run()
        for problem in problems { Issue.record("\(problem)") }
        return end
    }

    private static func cases() throws -> [MalformedCase] {
        guard let one = CurrentProcess.environment("LEDGER_CASE") else {
            return Sweep.numbers(1, casesMax, slice: 50).map { MalformedCase(number: $0) }
        }
        let parts = one.split(separator: ":")
        let seed = try #require(parts.first.flatMap { UInt64($0) })
        return [MalformedCase(seed: seed, number: try #require(parts.last.flatMap { Int($0) }))]
    }
}
