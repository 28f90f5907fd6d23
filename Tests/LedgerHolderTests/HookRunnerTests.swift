import LedgerAPI
import LedgerEngine
import LedgerModel
import LedgerSystem
import LedgerTestSupport
import SystemPackage
import Testing

@testable import LedgerHolder

/// What tells a hook of events, while its log can not be read.
struct HookRunnerTests {
    private let disk = SimulatedDisk()
    private let clock = ManualClock(Timestamp(milliseconds: 1_700_000_000_000))

    private func open() async throws -> Ledger {
        let world = World(
            fileSystem: disk, clock: clock, random: SharedChance(seed: 1).source, blocking: BlockingPool(threads: 2))
        return try await Ledger.open(LedgerHome("/ledger"), world: world, limits: Limits())
    }

    private func enqueue(_ name: String, in ledger: Ledger) async throws {
        let order = Order(
            url: try ResourceURL.parse("http://origin.test/" + name).url,
            destination: Destination(directory: "/d", name: nil, collision: .number))
        _ = try await ledger.execute([Submission(.enqueue(order, priority: 0, again: false), id: nil, actor: .cli)])
    }

    private func runner(
        _ ledger: Ledger, send: @escaping @Sendable (HookMessage) async -> HookFailure?,
        notice: @escaping @Sendable (Problem) -> Void
    ) -> HookRunner {
        HookRunner(
            ledger: ledger, target: HookTarget([.enqueue], .program("/bin/true")), work: HookWork(), moved: {},
            rows: { _ in nil }, send: send, notice: notice)
    }

    @Test(.timeLimit(.minutes(5)))
    func `a hook that could not be told for want of a descriptor is told once there is one`() async throws {
        var ledger = try await open()
        // Registered, it is told of what comes from here on.
        await runner(ledger, send: { _ in nil }, notice: { _ in }).run(through: ledger.lastSequence)
        try await enqueue("a", in: ledger)
        await ledger.close()
        ledger = try await open()
        disk.inject(SimulatedFault(.open, .tooManyOpenFiles, forGood: true))
        let (problems, noticed) = AsyncStream.makeStream(of: Problem.self)
        let (messages, sent) = AsyncStream.makeStream(of: String.self)
        let runner = runner(
            ledger,
            send: { message in
                sent.yield(message.occasion.rawValue)
                return nil
            }, notice: { noticed.yield($0) })
        let running = Task { await runner.run() }
        await clock.passes {
            var (seen, told) = (problems.makeAsyncIterator(), messages.makeAsyncIterator())
            for _ in 0..<3 { #expect(await seen.next() != nil) }
            disk.clearFaults()
            #expect(await told.next() == "enqueue")
        }
        await ledger.close()
        await running.value
    }
}
