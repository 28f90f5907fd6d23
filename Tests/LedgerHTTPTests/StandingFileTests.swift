import LedgerModel
import LedgerSystem
import LedgerTestSupport
import LedgerTransfer
import SystemPackage
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Rows 34 and 35: what stands there already, and links that somebody planted.
@Suite struct StandingFileTests {
    @Test func `what stands there is never touched: the next number is taken`() async throws {
        let theCase = try Bench.named("34-taken")
        try await Bench.run { bench in
            try bench.put("f.tar.gz", [9])
            try bench.put("f (1).tar.gz", [8])
            let assignment = try bench.assignment(theCase.path(Bench.token, "f.tar.gz"))
            await bench.completes(assignment, as: "f (2).tar.gz")
            #expect(try bench.holds(theCase, under: "f (2).tar.gz"))
            #expect(try bench.file("f.tar.gz") == [9])
            #expect(try bench.file("f (1).tar.gz") == [8])
            #expect(bench.reports.all.kinds == ["resolved 1", "verified 700001 f (2).tar.gz", "completed 700001"])
        }
    }

    @Test func `overwriting replaces it when the new file is whole, and not before`() async throws {
        try await Bench.run { bench in
            bench.origin.script("/f.bin", [{ _ in OriginReply(500) }, { _ in OriginReply(200, [], body: [1]) }])
            try bench.put("f.bin", [9])
            let assignment = try bench.assignment("/f.bin", collision: .overwrite)
            guard case .failed = await bench.run(assignment) else { return #expect(Bool(false)) }
            #expect(try bench.file("f.bin") == [9])
            #expect(await bench.run(assignment) == .completed(path: bench.path("f.bin")))
            #expect(try bench.file("f.bin") == [1])
        }
    }

    @Test(arguments: ["f.bin", nil])
    func `skipping takes what stands there and fetches no body`(name: String?) async throws {
        try await Bench.run { bench in
            bench.origin.on("/f.bin") { _ in OriginReply(200, [], body: [1]) }
            try bench.put("f.bin", Array("abc".utf8))
            let end = await bench.run(try bench.assignment("/f.bin", name: name, collision: .skip))
            #expect(end == .completed(path: bench.path("f.bin")))
            guard case .found(let identity, let sha256, let path)? = bench.reports.all.first else {
                return #expect(Bool(false))
            }
            #expect(identity.length == 3 && sha256.hex.hasPrefix("ba7816bf") && path == bench.path("f.bin"))
            #expect(bench.origin.requests.count == (name == nil ? 1 : 0))
            #expect(try bench.names == ["f.bin"])
        }
    }

    @Test(arguments: ["f.bin", nil], [true, false])
    func `skipping takes only what is as it is expected to be`(name: String?, isRight: Bool) async throws {
        try await Bench.run { bench in
            bench.origin.on("/f.bin") { _ in OriginReply(200, [], body: [1]) }
            try bench.put("f.bin", [9])
            let expected = RangeTests.sha256(isRight ? [9] : [1])
            let end = await bench.run(
                try bench.assignment("/f.bin", name: name, collision: .skip, expected: expected))
            if isRight {
                #expect(end == .completed(path: bench.path("f.bin")))
            } else {
                guard case .failed(let failure, nil) = end else { return #expect(Bool(false)) }
                #expect(failure.code == .digestMismatch && failure.message.hasPrefix("'\(bench.path("f.bin"))'"))
            }
            #expect(try bench.names == ["f.bin"] && bench.file("f.bin") == [9])
        }
    }

    @Test(arguments: ["f.bin", nil])
    func `skipping for a client takes only what is the ledger's, whoever names it`(name: String?) async throws {
        try await Bench.run { bench in
            bench.origin.on("/f.bin") { _ in OriginReply(200, [], body: [1]) }
            try bench.put("f.bin", Array("abc".utf8))
            var assignment = try bench.assignment("/f.bin", name: name, collision: .skip)
            var options = assignment.order.options.value
            options.refusesLinks = true
            assignment.order.options = Shared(options)
            guard case .failed(let failure, nil) = await bench.run(assignment) else { return #expect(Bool(false)) }
            #expect(failure.code == .destinationTaken)
            #expect(
                failure.message.contains("a file that this ledger did not download stands at '\(bench.path("f.bin"))'"))
            #expect(try bench.file("f.bin") == Array("abc".utf8) && bench.names == ["f.bin"])
            bench.reports.hold(bench.path("f.bin"))
            #expect(await bench.run(assignment) == .completed(path: bench.path("f.bin")))
            #expect(try bench.file("f.bin") == Array("abc".utf8))
        }
    }

    @Test(arguments: [Destination.Collision.overwrite, .skip], ["f.bin", nil])
    func `a pipe under the name is refused before anything is fetched, and stays one`(
        collision: Destination.Collision, name: String?
    ) async throws {
        try await Bench.run { bench in
            bench.origin.on("/f.bin") { _ in OriginReply(200, [], body: [1]) }
            try #require(mkfifo(bench.path("f.bin"), 0o600) == 0)
            let end = await bench.run(try bench.assignment("/f.bin", name: name, collision: collision))
            guard case .failed(let failure, nil) = end else { return #expect(Bool(false), "\(end)") }
            #expect(failure.code == .destinationTaken && failure.message.contains(bench.path("f.bin")))
            let path = bench.directory.appending("f.bin")
            #expect(try bench.fileSystem.status(of: path)?.kind == .other && bench.names == ["f.bin"])
        }
    }

    @Test(arguments: [Destination.Collision.overwrite, .skip], ["f.bin", nil])
    func `a directory under the name is refused before anything is fetched`(
        collision: Destination.Collision, name: String?
    ) async throws {
        try await Bench.run { bench in
            // Whoever waits for the body finds the connection lost.
            bench.origin.on("/f.bin") { _ in
                var reply = OriginReply(200, [], body: [1])
                reply.steps = [reply.steps[0], .close]
                return reply
            }
            try bench.fileSystem.createDirectory(bench.directory.appending("f.bin"), permissions: 0o700)
            let end = await bench.run(try bench.assignment("/f.bin", name: name, collision: collision))
            guard case .failed(let failure, nil) = end else { return #expect(Bool(false), "\(end)") }
            #expect(failure.code == .destinationTaken && failure.message.contains(bench.path("f.bin")))
            #expect(bench.origin.requests.count == (name == nil ? 1 : 0))
            #expect(try bench.names == ["f.bin"])
        }
    }

    @Test func `two downloads of one name at once get two names`() async throws {
        try await Bench.run { bench in
            bench.origin.on("/f.bin") { _ in OriginReply(200, [], body: [1]) }
            let ends = await withTaskGroup(of: WorkerEnd?.self) { group in
                for id in 1...8 {
                    group.addTask { @Sendable () async -> WorkerEnd? in
                        guard let assignment = Self.assign(bench, UInt64(id)) else { return nil }
                        return await bench.worker.run(assignment, live: LiveProgress())
                    }
                }
                return await group.reduce(into: [WorkerEnd?]()) { $0.append($1) }
            }
            #expect(Set(ends).count == 8)
            let names = try bench.names
            #expect(names == (1...7).map { "f (\($0)).bin" } + ["f.bin"])
        }
    }

    private static func assign(_ bench: Bench, _ id: UInt64) -> Assignment? {
        do { return try bench.assignment("/f.bin", id: id) } catch { return nil }
    }

    @Test func `a symbolic link planted under the part's or the final name is not followed`() async throws {
        let theCase = try Bench.named("35-planted-link")
        try await Bench.run { bench in
            try bench.put("victim", [7])
            try bench.link("disk.iso", to: "victim")
            try bench.link("disk.iso.1-0badcafe.1.part", to: "victim")
            await bench.completes(try bench.assignment(theCase), as: "disk (1).iso")
            #expect(try bench.file("victim") == [7])
            #expect(try bench.holds(theCase, under: "disk (1).iso"))
            #expect(try bench.names == ["disk (1).iso", "disk.iso", "victim"])
        }
    }

    @Test func `overwriting replaces a planted link, setting aside goes beside, and neither follows`() async throws {
        try await Bench.run { bench in
            bench.origin.on("/f.bin") { _ in OriginReply(200, [], body: [1]) }
            try bench.put("victim", [7])
            try bench.link("f.bin", to: "victim")
            try bench.link("g.bin.rejected", to: "victim")
            await bench.completes(try bench.assignment("/f.bin", collision: .overwrite), as: "f.bin")
            let wrong = Digest(.md5, [UInt8](repeating: 0, count: 16))
            _ = await bench.run(try bench.assignment("/f.bin", name: "g.bin", id: 2, expected: wrong))
            #expect(try bench.file("victim") == [7])
            for name in ["f.bin", "g.bin (1).rejected"] {
                #expect(try bench.fileSystem.status(of: bench.directory.appending(name))?.kind == .regular)
            }
        }
    }

    @Test func `a link planted in the place of the part on record is not written through`() async throws {
        try await Bench.run { bench in
            let body = OriginEntity.pattern(2000)
            bench.origin.on("/f.bin") { OriginEntity(body).reply(to: $0) }
            var assignment = try bench.assignment("/f.bin")
            assignment.origin = try bench.known("/f.bin", length: 2000)
            (assignment.durable, assignment.generation) = (SummedRanges(ByteRangeSet(0..<1000), sums: []), 1)
            let victim = [UInt8](repeating: 7, count: 1500)
            try bench.put("victim", victim)
            try bench.link("f.bin.1-0badcafe.1.part", to: "victim")
            #expect(await bench.follow(assignment).last == .completed(path: bench.path("f.bin")))
            #expect(try bench.file("victim") == victim)
            #expect(try bench.file("f.bin") == body)
            #expect(try bench.names == ["f.bin", "victim"])
        }
    }

    @Test func `missing directories are made`() async throws {
        try await Bench.run { bench in
            bench.origin.on("/f.bin") { _ in OriginReply(200, [], body: [1]) }
            var assignment = try bench.assignment("/f.bin")
            assignment.order.destination = Destination(directory: bench.path("a/b/c"), name: nil)
            #expect(await bench.run(assignment) == .completed(path: bench.path("a/b/c/f.bin")))
        }
    }

    @Test func `a directory that can not be is a failure for good that names it`() async throws {
        try await Bench.run { bench in
            bench.origin.on("/f.bin") { _ in OriginReply(200, [], body: [1]) }
            try bench.put("file", [1])
            var assignment = try bench.assignment("/f.bin")
            assignment.order.destination = Destination(directory: bench.path("file"), name: nil)
            guard case .failed(let failure, nil) = await bench.run(assignment) else { return #expect(Bool(false)) }
            #expect(failure.code == .disk)
            #expect(failure.message.contains(bench.path("file")))
        }
    }
}
