import LedgerEngine
import LedgerModel
import LedgerSystem
import LedgerTestSupport
import Synchronization
import SystemPackage

/// The ledger of the present life.
private final class Holder: Sendable {
    private let place = Mutex<Ledger?>(nil)

    var ledger: Ledger? {
        get { place.withLock { $0 } }
        set { place.withLock { $0 = newValue } }
    }
}

/// A world with a disk, a network and a clock that outlast every life of the program in it.
struct Life: Sendable {
    let disk: SimulatedDisk
    let clock: ManualClock
    let network: SimulatedNetwork
    let world: World
    let witness: Witness
    /// The number of the last acknowledged event, whatever the witness was told of it yet.
    let acknowledged: @Sendable () -> Int
    private let threads: SimulatedThreads
    private let holder: Holder

    /// An empty disk, and another one with a directory for files, just made: nobody has synced its name.
    static func emptyDisk() throws -> SimulatedDisk {
        let (disk, files) = (SimulatedDisk(), FilePath(SimulatedMachine.files))
        let mountPoint = files.removingLastComponent()
        try disk.createDirectory(mountPoint, permissions: 0o755)
        try disk.synchronizeDirectory(mountPoint.removingLastComponent())
        try disk.mount(mountPoint)
        try disk.createDirectory(files, permissions: 0o755)
        return disk
    }

    init(
        _ disk: SimulatedDisk, _ clock: ManualClock, _ network: SimulatedNetwork, seed: UInt64,
        _ threads: SimulatedThreads, known events: [Recorded] = [], acknowledged before: Int = 0
    ) {
        (self.disk, self.clock, self.network, self.threads) = (disk, clock, network, threads)
        world = SimulatedMachine.world(disk, clock, seed: seed, threads)
        let (holder, witness) = (Holder(), Witness(events))
        (self.holder, self.witness) = (holder, witness)
        acknowledged = { max(holder.ledger.map { Int($0.lastSequence.rawValue) } ?? before, witness.lastAnswered) }
    }

    /// How a life ended.
    struct Ended: Sendable {
        /// Why, when not everything was done.
        var error: String?
        /// What was acknowledged in it and before.
        var witness: Witness
        /// How many events were acknowledged, whatever the witness was told of yet.
        var acknowledged: Int
    }

    /// Lives through the steps on a thread of its own, one job at a time.
    /// - Returns: how it ended; nil when everyone waits for ever.
    static func live(
        _ steps: [Step], on disk: SimulatedDisk, _ clock: ManualClock, _ network: SimulatedNetwork, seed: UInt64,
        known events: [Recorded] = [], acknowledged before: Int = 0
    ) -> Ended? {
        SimulatedThreads.run(seed: seed, clock: clock) { threads in
            let life = Life(disk, clock, network, seed: seed, threads, known: events, acknowledged: before)
            let error = await life.run(steps)
            return Ended(
                error: error.map { "\($0)" }, witness: life.witness, acknowledged: life.acknowledged())
        }
    }

    /// Lives through the steps.
    /// - Returns: what ended it; nil when all was done.
    func run(_ steps: [Step]) async -> (any Error)? {
        disk.duringSyncs { [threads] in threads.letOthersRun() }
        defer { disk.duringSyncs(nil) }
        var ids: [DownloadID] = []
        var rest = steps[...]
        repeat {
            do {
                let machine = try await SimulatedMachine.start(world, network)
                holder.ledger = machine.ledger
                witness.begin(at: machine.openedAt)
                let following = Task { await witness.follow(machine.ledger) }
                let error = await play(&rest, on: machine, &ids)
                await machine.stop()
                await following.value
                if let error { return error }
            } catch { return error }
        } while !rest.isEmpty
        return nil
    }

    private func play(
        _ rest: inout ArraySlice<Step>, on machine: SimulatedMachine, _ ids: inout [DownloadID]
    ) async -> (any Error)? {
        while let step = rest.popFirst() {
            if step == .restart { return nil }
            do {
                witness.hear(try await machine.perform(step, on: &ids))
            } catch { return error }
        }
        return nil
    }
}
