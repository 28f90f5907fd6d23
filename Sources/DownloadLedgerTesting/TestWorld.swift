public import DownloadLedger
import FoundationEssentials
import LedgerEngine
import LedgerModel
import LedgerSystem
import LedgerTestSupport
import LedgerTransfer

/// A machine for an app's tests: a clock that is moved by hand, a disk in memory whose power can be cut, and a network
/// that answers as it is told. The ledger on it is the real one.
///
/// ```swift
/// let world = TestWorld()
/// world.network.serve("https://example.org/a.mp3", [1, 2, 3])
/// let ledger = try await world.open()
/// let file = try await world.clock.passes { try await ledger.enqueue(url).value }
/// #expect(try world.disk.contents(of: file) == [1, 2, 3])
/// await world.clock.passes { await ledger.close() }
/// ```
public struct TestWorld: Sendable {
    /// The time there.
    public let clock: TestClock
    /// The disk there.
    public let disk: TestDisk
    /// The network there.
    public let network: TestNetwork

    /// A new machine at the first instant of 2026, with an empty disk.
    public init() { self.init(clock: TestClock(), disk: TestDisk(SimulatedDisk()), network: TestNetwork()) }

    private init(clock: TestClock, disk: TestDisk, network: TestNetwork) {
        (self.clock, self.disk, self.network) = (clock, disk, network)
    }

    /// Opens the ledger on this machine, in `/ledger`, its files in `/files` unless the configuration says otherwise.
    /// Close it before the world goes.
    /// - Throws: ``DownloadLedger/DownloadError``, as ``DownloadLedger/DownloadLedger/open(at:configuration:)`` does.
    public func open(
        configuration: LedgerConfiguration = LedgerConfiguration()
    ) async throws(DownloadError) -> DownloadLedger {
        var configuration = configuration
        configuration.directory = configuration.directory ?? URL(filePath: "/files", directoryHint: .isDirectory)
        let world = World(
            fileSystem: disk.simulated, clock: SteadyClock(clock.manual),
            random: {
                var generator = SystemRandomNumberGenerator()
                return generator.next()
            }, blocking: BlockingPool())
        configuration.transport = { [network] in network.scripted }
        return try await DownloadLedger.open(
            at: URL(filePath: "/ledger", directoryHint: .isDirectory), configuration: configuration, world: world)
    }

    /// Cuts the power: every call to the disk fails from now on. What starts anew finds what was durable, and of the
    /// rest nothing: the harshest of what may be left.
    /// - Returns: the machine after it is switched on again, with the same clock and network.
    public func cutPower() -> TestWorld {
        disk.simulated.crash()
        return TestWorld(clock: clock, disk: TestDisk(disk.simulated.survivorOfTheWorst()), network: network)
    }
}
