import LedgerEngine
import LedgerLog
import LedgerModel
import LedgerSystem
import LedgerTestSupport
import SystemPackage

/// What holds after every crash: the recovered events have no hole and are those that were attempted (where more may
/// have been than were acknowledged, those beyond are held to the rest alone), everything acknowledged is in them, no
/// part file holds less than the ledger claims, the folded digest equals the live one, and verifying the log finds a
/// torn tail at most.
struct Oracle: Sendable {
    /// The events that were attempted, from sequence 1 on; more may follow unless ``isAll``.
    var attempted: [Recorded]
    /// How many of them were acknowledged.
    var acknowledged: Int
    /// Whether nothing else was attempted.
    var isAll: Bool
    /// Where the bytes came from.
    let network: SimulatedNetwork

    init(attempted: [Recorded], acknowledged: Int, isAll: Bool, network: SimulatedNetwork) {
        (self.attempted, self.acknowledged, self.isAll) = (attempted, acknowledged, isAll)
        self.network = network
    }

    /// What a life that has ended must have left behind.
    init(_ ended: Life.Ended, isAll: Bool, network: SimulatedNetwork) {
        self.init(
            attempted: ended.witness.events, acknowledged: ended.acknowledged, isAll: isAll, network: network)
    }

    /// What recovering came to.
    struct Verdict: Sendable {
        /// What the ledger now holds, from sequence 1 on.
        var events: [Recorded] = []
        var breaches: [String] = []

        /// What happened to a download, in short.
        func story(of id: DownloadID) -> String {
            events.filter { $0.id == id }.map { "\($0.sequence) \($0.event.kind)" }.joined(separator: ", ")
        }

        mutating func expect(_ holds: Bool, _ words: @autoclosure () -> String) {
            if !holds { breaches.append(words()) }
        }
    }

    /// Opens what is on the disk, and looks at everything.
    /// - Parameter finishes: whether all downloads are brought to their end as well.
    func judge(_ disk: SimulatedDisk, seed: UInt64, finishes: Bool) -> Verdict {
        let clock = ManualClock(Fixture.now)
        let verdict = SimulatedThreads.run(seed: seed, clock: clock) { threads in
            await judge(disk, SimulatedMachine.world(disk, clock, seed: seed, threads), finishes: finishes)
        }
        return verdict ?? Verdict(breaches: ["everyone waits for ever"])
    }

    private func judge(_ disk: SimulatedDisk, _ world: World, finishes: Bool) async -> Verdict {
        var verdict = Verdict()
        let findings = Self.findings(disk)
        verdict.expect(findings.allSatisfy(\.isHarmless), "verify before opening: \(findings)")
        do {
            let ledger = try await Ledger.open(SimulatedMachine.home, world: world)
            do {
                try await look(at: ledger, disk, &verdict)
            } catch {
                await ledger.close()
                throw error
            }
            await ledger.close()
            if finishes { try await finish(disk, world, &verdict) }
            let after = Self.findings(disk)
            verdict.expect(after.isEmpty, "verify after closing: \(after)")
            verdict.expect(disk.openFiles == 0, "\(disk.openFiles) descriptors were not given back")
        } catch { verdict.breaches.append("\(error)") }
        return verdict
    }

    private func look(at ledger: Ledger, _ disk: SimulatedDisk, _ verdict: inout Verdict) async throws {
        let state = try await ledger.read { $0 }
        verdict.events = try recovered(disk, state.sequence, &verdict)
        var folded = LedgerState()
        for event in verdict.events { folded.apply(event) }
        verdict.expect(
            StateSnapshot.digest(of: folded) == StateSnapshot.digest(of: state),
            "the state is not what the log folds to")
        verdict.expect(state.queue.invariantViolation() == nil, "\(state.queue.invariantViolation() ?? "")")
        let secrets = try SecretStore(SimulatedMachine.home.secrets, fileSystem: disk, random: { 0 })
        let assignments = AssignmentMaker(secrets: secrets, ledgerPrefix: ledger.identityPrefix)
        for download in state.queue.downloads {
            try check(download, disk) { assignments.partPath(of: download, generation: $0) }.map {
                verdict.breaches.append("download \(download.id): \($0): \(verdict.story(of: download.id))")
            }
        }
        let reconciler = Reconciler(ledger: ledger, assignments: assignments, notice: { _ in })
        try await reconciler.look(at: ledger.read { Array($0.queue.downloads.ids) })
        let downloads = try await ledger.read { $0.queue.downloads }
        for download in downloads {
            if let problem = try reconciled(download, disk, besides: downloads) {
                let story = verdict.story(of: download.id)
                verdict.breaches.append("download \(download.id), reconciled: \(problem): \(story)")
            }
        }
    }

    /// The events that the ledger holds from sequence 1 on: what can be read of it without a hole, and before that, as
    /// compaction may have dropped the first, what was acknowledged.
    private func recovered(
        _ disk: SimulatedDisk, _ last: SequenceNumber, _ verdict: inout Verdict
    ) throws -> [Recorded] {
        let count = Int(last.rawValue)
        verdict.expect(count >= acknowledged, "\(acknowledged) events were acknowledged, and \(count) are there")
        verdict.expect(!isAll || count <= attempted.count, "\(attempted.count) were attempted, and \(count) are there")
        var reader = try EventReader(
            home: SimulatedMachine.home, fileSystem: disk, after: .zero, includingArchive: true)
        let base = Int(reader.baseSequence.rawValue)
        verdict.expect(base <= attempted.count, "\(base) events were dropped, and \(attempted.count) acknowledged")
        var events = Array(attempted.prefix(base))
        while let batch = try reader.next() {
            for event in batch.events {
                verdict.expect(
                    Int(event.sequence.rawValue) == events.count + 1, "event \(event.sequence) follows \(events.count)")
                if events.count < attempted.count {
                    verdict.expect(attempted[events.count] == event, "event \(event.sequence) is another one")
                }
                events.append(event)
            }
        }
        verdict.expect(events.count == count, "\(events.count) events can be read of \(count)")
        return events
    }

    /// What is claimed of a download and is not so; nil when all is.
    private func check(
        _ download: Download, _ disk: SimulatedDisk, _ partPath: (UInt32) -> String
    ) throws -> String? {
        let versions = network.versions(of: download.order.url.path)
        switch download.phase {
        case .queued, .waiting, .paused, .failed:
            if download.durable.isEmpty { return nil }
            let part = try disk.contents(of: FilePath(partPath(download.generation))) ?? []
            let claimed = download.durable.ranges.map { Int($0.lowerBound)..<Int($0.upperBound) }
            let isThere: Bool
            if let untruths = network.untruths(of: download.order.url.path) {
                // The digest will judge what was put together, and each byte is one that came.
                isThere = claimed.joined().allSatisfy { place in
                    (versions + untruths).contains {
                        place < min(part.count, $0.count) && part[place] == $0[place]
                    }
                }
            } else {
                isThere = versions.contains { version in
                    claimed.allSatisfy { min(part.count, version.count) >= $0.upperBound && part[$0] == version[$0] }
                }
            }
            return isThere ? nil : "\(download.durable) is claimed of a part of \(part.count) bytes"
        case .publishing:
            guard let file = download.file?.value else { return "publishing without a file" }
            let final = try disk.contents(of: FilePath(file.path))
            let part = try disk.contents(of: FilePath(partPath(download.generation)))
            return [final, part].contains { $0.map(versions.contains) ?? false } ? nil : "verified and not there"
        case .missing, .altered: return "nobody touches files here, and it is \(download.phase)"
        case .completed, .cancelled, .deleted: return nil
        }
    }

    /// What a finished download lacks once the disk has followed the state.
    private func reconciled(
        _ download: Download, _ disk: SimulatedDisk, besides others: some Sequence<Download>
    ) throws -> String? {
        switch download.phase {
        case .missing, .altered: return "it is \(download.phase)"
        case .completed:
            guard let path = download.file?.value.path else { return "completed without a file" }
            let versions = network.versions(of: download.order.url.path)
            let isThere = try disk.contents(of: FilePath(path)).map(versions.contains) ?? false
            return isThere ? nil : "'\(path)' is not what the origin had"
        case .deleted:
            guard let deletion = download.deletion?.value, let file = download.file?.value else { return nil }
            if case .trash(let target) = deletion {
                let versions = network.versions(of: download.order.url.path)
                let isThere = try disk.contents(of: FilePath(target)).map(versions.contains) ?? false
                return isThere ? nil : "'\(file.path)' was deleted, and is not in the trash"
            }
            // Another one may have the name by now.
            guard deletion == .evicted, !others.contains(where: { $0.id > download.id && $0.file != nil }) else {
                return nil
            }
            return try disk.contents(of: FilePath(file.path)) == nil ? nil : "'\(file.path)' was evicted, and is there"
        case .queued, .waiting, .paused, .publishing, .failed, .cancelled: return nil
        }
    }

    /// Brings everything to its end over a network without mishaps.
    private func finish(_ disk: SimulatedDisk, _ world: World, _ verdict: inout Verdict) async throws {
        let machine = try await SimulatedMachine.start(world, network.calm(world.clock))
        let ids = try await machine.ledger.read { $0.queue.downloads.filter { $0.phase.canGoOn }.map(\.id) }
        for id in ids.sorted() {
            for command in [Command.retry(id), .resume(id)] {
                _ = try await machine.ledger.execute([Submission(command, id: nil, actor: .cli)])
            }
        }
        try await machine.untilIdle()
        let downloads = try await machine.ledger.read { $0.queue.downloads }
        await machine.stop()
        for download in downloads {
            verdict.expect(!download.phase.canGoOn, "download \(download.id) ended as \(download.phase)")
            if let problem = try reconciled(download, disk, besides: downloads) {
                verdict.breaches.append("at the end: \(problem)")
            }
        }
        let files = FilePath(SimulatedMachine.files)
        let left = try disk.status(of: files) == nil ? [] : disk.list(files).filter { $0.hasSuffix(".part") }
        verdict.expect(left.isEmpty, "left behind: \(left)")
    }

    private static func findings(_ disk: SimulatedDisk) -> [LogFinding.Kind] {
        do throws(LogError) {
            var verifier = LogVerifier(home: SimulatedMachine.home.path, fileSystem: disk, archived: .everything)
            return try verifier.run().findings.map(\.kind)
        } catch {
            return error.code == .absent ? [] : [.corruption]
        }
    }
}

extension Phase {
    /// Whether a download that nothing stands in the way of would be brought to its end.
    fileprivate var canGoOn: Bool {
        switch self {
        case .queued, .waiting, .paused, .publishing, .failed: true
        case .completed, .missing, .altered, .cancelled, .deleted: false
        }
    }
}
