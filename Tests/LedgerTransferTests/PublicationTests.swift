import LedgerModel
import LedgerSystem
import LedgerTestSupport
import SystemPackage
import Testing

@testable import LedgerTransfer

@Suite struct PublicationTests {
    let disk = SimulatedDisk()
    let reports = RecordedReports()

    private var publication: Publication {
        Publication(fileSystem: disk, blocking: BlockingPool(threads: 1), reporting: reports)
    }

    private func item(
        _ id: UInt64, _ name: String, _ collision: Destination.Collision = .number, replaced: PublishedFile? = nil
    ) throws -> Publication.Item {
        if try disk.status(of: "/d") == nil { try disk.createDirectory("/d", permissions: 0o700) }
        let path = FilePath("/d/\(name).\(id).part")
        let part = try PartFile.create(at: path, length: nil, in: disk)
        let bytes = [UInt8(id & 255)]
        try part.write(bytes.span.bytes, at: 0)
        let sum = try #require(Digest(.sha256, [UInt8](repeating: 0, count: 32)))
        return Publication.Item(
            lease: Lease(DownloadID(id), epoch: 0),
            destination: Destination(directory: "/d", name: nil, collision: collision), name: name, part: part,
            length: 1, sha256: sum, earlier: [], replaced: replaced)
    }

    /// A file that was published under `/d/old.bin`, with what is known of it.
    private func standing() throws -> PublishedFile {
        try disk.createDirectory("/d", permissions: 0o700)
        let file = try disk.open("/d/old.bin", .create(permissions: 0o600))
        try file.write([7, 7], at: 0)
        file.close()
        let sum = try #require(Digest(.sha256, [UInt8](repeating: 7, count: 32)))
        return PublishedFile(
            path: "/d/old.bin", length: 2, sha256: sum, identity: try disk.status(of: "/d/old.bin")?.identity)
    }

    @Test(arguments: [Destination.Collision.number, .skip])
    func `a newer file takes the place of our own old one`(_ collision: Destination.Collision) async throws {
        let item = try item(1, "new.bin", collision, replaced: try standing())
        #expect(try await publication.publish(item).path == "/d/old.bin")
        #expect(try disk.contents(of: "/d/old.bin") == [1])
        #expect(try disk.list("/d") == ["old.bin"])
    }

    @Test(arguments: [[1, 2], []] as [[UInt8]])
    func `what came to stand in the part's place is not published`(other: [UInt8]) async throws {
        let item = try item(1, "new.bin")
        reports.refuse { [disk] report in
            guard case .verified? = report.reports.last else { return nil }
            do {
                // Of the same length, or shortened.
                let file = try disk.open("/d/other", .create(permissions: 0o600))
                try file.write(Array(other.prefix(1)), at: 0)
                try disk.rename("/d/other", to: item.partPath, replacing: true)
            } catch { Issue.record("\(error)") }
            return nil
        }
        do throws(Publication.Problem) {
            _ = try await publication.publish(item)
            Issue.record("it is not what was verified")
        } catch {
            guard case .failed(let failure, true) = error else { return #expect(Bool(false)) }
            #expect(failure.code == .partLost && failure.isRetryable)
            #expect(failure.message == "the finished part '\(item.partPath)' was changed by someone else")
        }
        #expect(try disk.list("/d") == ["new.bin.1.part"])
    }

    @Test func `what came to stand in the old one's place is not touched`() async throws {
        let old = try standing()
        try disk.open("/d/old.bin", .update).write([9, 9, 9], at: 0)
        #expect(try await publication.publish(try item(1, "new.bin", replaced: old)).path == "/d/old (1).bin")
        #expect(try disk.contents(of: "/d/old.bin") == [9, 9, 9])
    }

    @Test func `what comes to stand there while it is published is not touched either`() async throws {
        let item = try item(1, "new.bin", replaced: try standing())
        let disk = disk
        reports.refuse { report in
            if case .verified(_, _, "/d/old.bin")? = report.reports.first {
                do { try disk.open("/d/old.bin", .update).write([9, 9, 9], at: 0) } catch { Issue.record("\(error)") }
            }
            return nil
        }
        #expect(try await publication.publish(item).path == "/d/old (1).bin")
        #expect(try disk.contents(of: "/d/old.bin") == [9, 9, 9])
    }

    @Test func `those who wait while a group is published share the next one`() async throws {
        let publication = publication
        let items = try (1...100).map { try item($0, "f\($0)") }
        await withTaskGroup(of: Void.self) { group in
            for item in items {
                group.addTask {
                    do throws(Publication.Problem) { _ = try await publication.publish(item) } catch {
                        Issue.record("\(error)")
                    }
                }
            }
        }
        #expect(reports.all.count == 200)
        // Two batches a group, and far fewer groups than files.
        #expect(reports.batches.count < 100)
        #expect(disk.count(of: .fsync) < 100)
        #expect(try disk.list("/d").count == 100)
    }

    #if !canImport(Darwin)
        /// Of one group, in which the names that others chose are held against each.
        @Test func `names that the disk tells apart are two names`() async throws {
            let names = ["e\u{301}.bin", "\u{e9}.bin"]
            let outcomes = await publication.publishGroup(try names.enumerated().map { try item(UInt64($0), $1) })
            for (outcome, name) in zip(outcomes, names) {
                guard case .published(let file) = outcome else { return #expect(Bool(false), "\(outcome)") }
                #expect(file.path.utf8.elementsEqual("/d/\(name)".utf8))
            }
        }
    #endif

    @Test(arguments: [1, 20, 40])
    func `whatever one failed sync took along, what is completed is on the disk`(nth: Int) async throws {
        try disk.createDirectory("/d", permissions: 0o700)
        try disk.synchronizeDirectory("/")
        try disk.mount("/d")
        disk.failedSyncFate = .lostBeside
        let publication = publication
        let items = try (1...40).map { try item($0, "f\($0)") }
        disk.inject(SimulatedFault(.fdatasync, nth: nth, .ioError))
        let outcomes = await withTaskGroup(of: String.self) { group in
            for item in items { group.addTask { await Self.outcome(publication, item) } }
            return await group.reduce(into: []) { $0.append($1) }
        }
        let survivor = disk.survivorOfTheWorst()
        let completed = outcomes.filter { $0.hasPrefix("/") }
        let recorded = reports.all.count { if case .completed = $0 { true } else { false } }
        #expect(outcomes.count == 40 && completed.count == recorded)
        for path in completed {
            let id = try #require(UInt8(path.dropFirst("/d/f".count)))
            #expect(try survivor.contents(of: FilePath(path)) == [id])
        }
        // Those that were open when it failed can not be told from those it took along.
        #expect(completed.count < nth)
        #expect(outcomes.count { $0 == "failed disk" } == 40 - completed.count)
    }

    @Test func `what a crash left to publish is not completed beside a sync that fails`() async throws {
        let fresh = try item(1, "f.bin")
        _ = try #require(fresh.part).synchronize()
        var left = Publication.Item(
            lease: fresh.lease, destination: Destination(directory: "/d", name: nil), partPath: fresh.partPath,
            verifiedPath: "/d/f.bin", length: 1,
            sha256: try RunningDigest.sha256(of: fresh.partPath, length: 1, in: disk))
        left.proven = try #require(try disk.status(of: fresh.partPath)).identity
        // While it is renamed, another file's sync fails.
        let device = try #require(try disk.status(of: "/d")).device
        disk.observe { [failures = disk.failedSyncs] call, _, _ in
            if call == .rename { failures.note(FileError("fdatasync", "/d/other", .ioError), on: device) }
        }
        #expect(await Self.outcome(publication, left) == "failed disk")
        #expect(reports.all.isEmpty)
        #expect(try disk.list("/d") == [fresh.partPath.lastComponent?.string])
    }

    @Test func `a file that is replaced stays when a sync fails before the rename`() async throws {
        let old = try standing()
        let new = try item(2, "old.bin", replaced: old)
        let device = try #require(try disk.status(of: "/d")).device
        reports.refuse { [failures = disk.failedSyncs] _ in
            failures.note(FileError("fdatasync", "/d/other", .timedOut), on: device)
            return nil
        }
        #expect(await Self.outcome(publication, new) == "failed disk")
        #expect(try disk.contents(of: "/d/old.bin") == [7, 7])
    }

    @Test func `a path that the ledger refuses is given up for the next number`() async throws {
        reports.refuse { report in
            if case .verified(_, _, "/d/f.bin")? = report.reports.first { .pathTaken } else { nil }
        }
        let published = try await publication.publish(try item(1, "f.bin"))
        #expect(published.path == "/d/f (1).bin")
    }

    @Test func `a name that is taken between its choice and the rename is given up too`() async throws {
        let item = try item(1, "f.bin")
        let disk = disk
        reports.refuse { report in
            // Someone puts a file there while `verified` is being recorded.
            if case .verified(_, _, "/d/f.bin")? = report.reports.first {
                do { try disk.open("/d/f.bin", .create(permissions: 0o600)).write([9], at: 0) } catch {
                    Issue.record("\(error)")
                }
            }
            return nil
        }
        #expect(try await publication.publish(item).path == "/d/f (1).bin")
        #expect(try disk.contents(of: "/d/f.bin") == [9])
        #expect(try disk.contents(of: "/d/f (1).bin") == [1])
        let paths = reports.all.compactMap { report -> String? in
            if case .verified(_, _, let path) = report { path } else { nil }
        }
        #expect(paths == ["/d/f.bin", "/d/f (1).bin"])
    }

    @Test(arguments: [Errno.noSpace, .ioError])
    func `a part whose sync fails is not published, nor are those that it may have taken with it`(
        errno: Errno
    ) async throws {
        let bad = try item(1, "bad.bin")
        let beside = try item(2, "beside.bin")
        disk.inject(SimulatedFault(.fdatasync, errno) { $0.string.contains("bad") })
        let publication = publication
        let outcomes = (await Self.outcome(publication, bad), await Self.outcome(publication, beside))
        #expect(try disk.status(of: "/d/bad.bin") == nil)
        if errno == .noSpace {
            #expect(outcomes == ("failed disk-full", "/d/beside.bin"))
        } else {
            #expect(outcomes == ("failed disk", "failed disk"))
            #expect(try disk.status(of: "/d/beside.bin") == nil)
        }
    }

    @Test func `a passed lease stops a publication before its rename`() async throws {
        reports.refuse { _ in .stale }
        let item = try item(1, "f.bin")
        #expect(await Self.outcome(publication, item) == "stopped")
        #expect(try disk.list("/d") == ["f.bin.1.part"])
    }

    private static func outcome(_ publication: Publication, _ item: Publication.Item) async -> String {
        do throws(Publication.Problem) { return try await publication.publish(item).path } catch {
            switch error {
            case .stopped: return "stopped"
            case .failed(let failure, _): return "failed \(failure.code.rawValue)"
            }
        }
    }
}
