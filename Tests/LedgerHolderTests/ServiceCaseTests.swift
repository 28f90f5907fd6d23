import LedgerAPI
import LedgerEngine
import LedgerHolder
import LedgerModel
import LedgerSystem
import LedgerTestSupport
import SystemPackage
import Testing

/// Rows 36, 37, 38, 43 and 44: what takes a whole ledger to get right, over real sockets.
@Suite struct ServiceCaseTests {
    private static func named(_ slug: String) throws -> OriginCase { try #require(Catalogue.named(slug)) }

    private static func world(_ disk: SimulatedDisk, _ clock: ManualClock) -> World {
        World(
            fileSystem: disk, clock: SteadyClock(clock),
            random: {
                var generator = SystemRandomNumberGenerator()
                return generator.next()
            }, blocking: BlockingPool())
    }

    @Test func `what is asked for twice at once is fetched once, and both who asked are told`() async throws {
        let theCase = try Self.named("36-twice")
        try await ServiceFixture.run { fixture in
            let requests = [try fixture.request(theCase), try fixture.request(theCase)]
            let ended = try await withThrowingTaskGroup(of: [DownloadRow].self) { group in
                for request in requests {
                    group.addTask {
                        let rows = try await fixture.enqueue([request])
                        return try await fixture.ended(rows.map(\.id))
                    }
                }
                return try await group.reduce(into: []) { $0 += $1 }
            }
            #expect(ended.map(\.state) == [.completed, .completed])
            #expect(ended[0].id == ended[1].id)
            #expect(ended[0].received == UInt64(theCase.file.bytes.count))
            #expect(fixture.cases.seen(theCase.slug, "t").requests.count == 1)
            let files = try fixture.files().filter { $0.key.starts(with: fixture.downloads) }
            #expect(files.keys.compactMap { $0.lastComponent?.string } == ["disk.iso"])
            #expect(files.values.first == theCase.file.bytes)
        }
    }

    @Test func `a full disk parks a download with its reason, and loses nothing`() async throws {
        let theCase = try Self.named("37-full-disk")
        let (disk, clock) = (SimulatedDisk(), ManualClock(Timestamp(milliseconds: 1_772_532_000_000)))
        disk.inject(SimulatedFault(.fallocate, .noSpace, forGood: true) { $0.string.hasSuffix(".part") })
        try await ServiceFixture.run(in: Self.world(disk, clock)) { fixture in
            let id = try await fixture.enqueue([try fixture.request(theCase)])[0].id
            let events = try await fixture.events(id) { $0.kind == .failed }
            guard case .failed(let failure, .some)? = events.last else {
                Issue.record("it waits for room: \(events)")
                return
            }
            #expect(failure.code == .diskFull)
            // The log is appendable, and takes other orders meanwhile.
            let other = try await fixture.enqueue([try fixture.request("/none")])[0].id
            #expect(try await fixture.ended([other])[0].state == .failed)
            disk.clearFaults()
            let row = try await clock.passes { try await fixture.ended([id])[0] }
            #expect(row.state == .completed)
            #expect(try fixture.files()[fixture.downloads.appending("disk.iso")] == theCase.file.bytes)
        }
    }

    @Test(arguments: [true, false]) func `what became of a file behind our back is told at the next start`(
        isGone: Bool
    ) async throws {
        let theCase = try Self.named("38-behind-our-back")
        let (disk, clock) = (SimulatedDisk(), ManualClock(Timestamp(milliseconds: 1_772_532_000_000)))
        try await ServiceFixture.run(in: Self.world(disk, clock)) { fixture in
            let id = try await fixture.enqueue([try fixture.request(theCase)])[0].id
            #expect(try await fixture.ended([id])[0].state == .completed)
            // The disk as a process finds it that comes after this one was killed.
            let later = disk.copy()
            let path = fixture.downloads.appending("disk.iso")
            if isGone { try later.unlink(path) } else { try later.damage(path) { $0.removeLast(100) } }
            var configuration = ServiceConfiguration()
            configuration.servesSocket = false
            let next = try await LedgerService.open(
                LedgerHome(fixture.home), configuration, world: Self.world(later, clock))
            try await next.run(untilIdle: true)
            var query = ListQuery()
            query.ids = [id]
            #expect(try await next.list(query).map(\.state) == [isGone ? .missing : .altered])
            await next.close()
        }
    }

    @Test(arguments: [-86_400, 86_400]) func `a clock that is set makes neither a stall nor a storm`(
        seconds: Int64
    ) async throws {
        let theCase = try Self.named("43-clock-jumps")
        let clock = ManualClock(Timestamp(milliseconds: 1_772_532_000_000))
        try await ServiceFixture.run(in: Self.world(SimulatedDisk(), clock)) { fixture in
            var request = try fixture.request(theCase)
            // Time flies here, faster than sockets: nobody is called silent, or slow.
            request.silenceMillisecondsMax = .max
            request.rangesMax = 1
            let id = try await fixture.enqueue([request])[0].id
            _ = try await fixture.events(id) { $0.kind == .failed }
            clock.setWall(clock.now().advanced(by: .seconds(seconds)))
            let row = try await clock.passes { try await fixture.ended([id])[0] }
            #expect(row.state == .completed)
            let requests = fixture.cases.seen(theCase.slug, "t").requests
            #expect(requests.count == 2)
            // A clock that makes others wait would make them wait for a day; time flies faster than sockets meanwhile.
            #expect(requests[1].at - requests[0].at <= .seconds(43_200))
            let disk = try fixture.files()
            #expect(disk[fixture.downloads.appending("disk.iso")] == theCase.file.bytes)
        }
    }

    @Test func `secrets reach the origin and nothing else, also those that a redirect brings`() async throws {
        let theCase = try Self.named("44-secrets")
        try await ServiceFixture.run { fixture in
            var request = try fixture.request(theCase.path("t") + "?token=tok3n-s3cret&x=1")
            request.headers = [
                .init(name: "X-Token", value: "h3ader-s3cret"), .init(name: "Cookie", value: "session=c00kie-s3cret"),
            ]
            request.credentials = "user:passw0rd-s3cret"
            let rows = try await fixture.enqueue([request])
            let ended = try await fixture.ended(rows.map(\.id))
            #expect(ended[0].state == .completed)
            #expect(ended[0].url.contains("token=REDACTED"))

            let seen = fixture.cases.seen(theCase.slug, "t")
            let target = theCase.path("t") + "?token=tok3n-s3cret&x=1"
            #expect(seen.requests.map(\.request.target) == [target, theCase.path("t", "real.bin?token=t0ps3cret&x=1")])
            #expect(seen["x-token"] == ["h3ader-s3cret", "h3ader-s3cret"])
            #expect(seen["authorization"].allSatisfy { $0 != nil })

            let secrets = fixture.home.appending("secrets")
            #expect(try RealFileSystem().status(of: secrets)?.permissions == 0o600)
            let words = [
                "tok3n-s3cret", "h3ader-s3cret", "c00kie-s3cret", "passw0rd-s3cret", "dXNlcjpwYXNzdzByZC1zM2NyZXQ",
                "t0ps3cret",
            ]
            for (path, content) in try fixture.files() where path != secrets {
                let text = String(decoding: content, as: UTF8.self)
                for secret in words { #expect(!text.contains(secret), "\(path) holds '\(secret)'") }
            }
        }
    }
}
