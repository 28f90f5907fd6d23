import LedgerModel
import LedgerSystem
import LedgerTestSupport
import LedgerTransfer
import SystemPackage
import Testing

/// A finished file whose origin is asked whether it has a newer one.
@Suite struct RefreshTests {
    let old = OriginEntity.pattern(70_000, seed: 1)
    let new = OriginEntity.pattern(90_000, seed: 2)

    /// Downloads `/a.bin`, and returns the assignment that asks about it.
    private func finished(_ bench: Bench, _ entity: OriginEntity) async throws -> Assignment {
        bench.origin.on("/a.bin") { entity.reply(to: $0) }
        var assignment = try bench.assignment("/a.bin")
        await bench.completes(assignment, as: "a.bin")
        var standing: StandingFile?
        var origin: LedgerModel.Origin?
        for report in bench.reports.all {
            switch report {
            case .resolved(let seen, let generation): (origin, assignment.generation) = (seen, generation)
            case .verified(let length, let sha256, let path):
                standing = StandingFile(
                    file: PublishedFile(path: path, length: length, sha256: sha256, identity: nil), origin: origin)
            case .completed(let identity): standing?.file.identity = identity
            case .progressed, .failed, .blamed, .found, .unchanged: break
            }
        }
        #expect(standing != nil)
        assignment.standing = standing
        assignment.origin = origin
        return assignment
    }

    private func asked(_ bench: Bench) -> OriginRequest? { bench.origin.requests.last }

    static let conditions: [(OriginEntity, field: String, value: String)] = [
        (OriginEntity(OriginEntity.pattern(9), entityTag: "\"v1\""), "if-none-match", "\"v1\""),
        (OriginEntity(OriginEntity.pattern(9), entityTag: "W/\"v1\""), "if-none-match", "W/\"v1\""),
        (
            OriginEntity(
                OriginEntity.pattern(9), entityTag: nil, lastModified: "Tue, 03 Mar 2026 09:00:00 GMT"),
            "if-modified-since", "Tue, 03 Mar 2026 09:00:00 GMT"
        ),
        (
            OriginEntity(
                OriginEntity.pattern(9), entityTag: "W/\"v1\"", lastModified: "Tue, 03 Mar 2026 09:00:00 GMT"),
            "if-none-match", "W/\"v1\""
        ),
    ]

    @Test(arguments: conditions.indices)
    func `it is asked for under what the origin gave, and 304 leaves all as it was`(_ row: Int) async throws {
        let (entity, field, value) = Self.conditions[row]
        try await Bench.run { bench in
            let assignment = try await finished(bench, entity)
            bench.origin.on("/a.bin") { _ in OriginReply(304, [("ETag", "\"v1\"")]) }
            await bench.completes(assignment, as: "a.bin")
            #expect(asked(bench)?[field] == value)
            #expect(bench.reports.all.last == .unchanged)
            #expect(try bench.names == ["a.bin"] && bench.file("a.bin") == entity.bytes)
        }
    }

    @Test func `a newer file takes the place of the old one`() async throws {
        try await Bench.run { bench in
            let assignment = try await finished(bench, OriginEntity(old))
            bench.origin.on("/a.bin") { OriginEntity(new, entityTag: "\"v2\"").reply(to: $0) }
            await bench.completes(assignment, as: "a.bin")
            #expect(try bench.names == ["a.bin"] && bench.file("a.bin") == new)
            #expect(
                bench.reports.all.kinds.suffix(3) == ["resolved 2", "verified 90000 a.bin", "completed 90000"])
        }
    }

    @Test func `the same bytes under another tag leave all as it was`() async throws {
        try await Bench.run { bench in
            let assignment = try await finished(bench, OriginEntity(old))
            bench.origin.on("/a.bin") { OriginEntity(old, entityTag: "\"v2\"").reply(to: $0) }
            await bench.completes(assignment, as: "a.bin")
            #expect(bench.reports.all.last == .unchanged)
            #expect(try bench.names == ["a.bin"])
        }
    }

    @Test(arguments: [true, false])
    func `a file that is not as it was left is fetched like any other`(isGone: Bool) async throws {
        try await Bench.run { bench in
            let assignment = try await finished(bench, OriginEntity(old))
            try bench.fileSystem.unlink(bench.directory.appending("a.bin"))
            if !isGone { try bench.put("a.bin", [1, 2, 3]) }
            let name = isGone ? "a.bin" : "a (1).bin"
            await bench.completes(assignment, as: name)
            #expect(asked(bench)?["if-none-match"] == nil)
            #expect(try bench.file(name) == old)
            if !isGone { #expect(try bench.file("a.bin") == [1, 2, 3]) }
        }
    }

    @Test(arguments: [404, 500])
    func `an origin that fails leaves the file, and nothing else`(status: Int) async throws {
        try await Bench.run { bench in
            var assignment = try await finished(bench, OriginEntity(old))
            assignment.attemptsFailed = 99
            bench.origin.on("/a.bin") { _ in OriginReply(status) }
            guard case .failed(_, nil) = await bench.run(assignment) else { return #expect(Bool(false)) }
            #expect(try bench.names == ["a.bin"] && bench.file("a.bin") == old)
        }
    }

    @Test(arguments: [(200, "<p>log in"), (200, ""), (204, "")])
    func `a page in its place, or nothing, is suspicious and leaves the file`(status: Int, body: String) async throws {
        try await Bench.run { bench in
            var assignment = try await finished(bench, OriginEntity(old))
            assignment.attemptsFailed = 99
            let page = [("Content-Type", "text/html")]
            bench.origin.on("/a.bin") { _ in
                status == 204 ? OriginReply(204) : OriginReply(200, body.isEmpty ? [] : page, body: Array(body.utf8))
            }
            guard case .failed(let failure, nil) = await bench.run(assignment) else { return #expect(Bool(false)) }
            #expect(failure.code == .suspicious)
            #expect(try bench.names == ["a.bin"] && bench.file("a.bin") == old)
        }
    }

    @Test func `a newer file that can not be had goes, and the old one stays`() async throws {
        try await Bench.run { bench in
            var assignment = try await finished(bench, OriginEntity(old))
            assignment.attemptsFailed = 99
            let sum = try #require(Digest(.sha256, [UInt8](repeating: 1, count: 32)))
            assignment.order.expected = sum
            bench.origin.on("/a.bin") { OriginEntity(new, entityTag: "\"v2\"").reply(to: $0) }
            guard case .failed(let failure, nil) = await bench.run(assignment) else { return #expect(Bool(false)) }
            #expect(failure.code == .digestMismatch)
            #expect(try bench.names == ["a.bin", "a.bin.rejected"] && bench.file("a.bin") == old)
        }
    }

    @Test func `a 304 that was not asked for is a failure`() async throws {
        try await Bench.run { bench in
            bench.origin.on("/a.bin") { _ in OriginReply(304) }
            guard case .failed(let failure, nil) = await bench.run(try bench.assignment("/a.bin")) else {
                return #expect(Bool(false))
            }
            #expect(failure.status == 304)
        }
    }
}
