import LedgerModel
import LedgerTestSupport
import LedgerTransfer
import Testing

/// What origins state beside their entities: digests, mirrors and descriptions (RFC 9530, RFC 6249).
@Suite struct StatedTests {
    static let body = OriginEntity.pattern(200_000)
    static let sum = PieceTests.sha256(body[...])

    /// A `Repr-Digest` of these bytes.
    private static func stated(_ bytes: [UInt8]) -> (String, String) {
        ("Repr-Digest", "sha-256=:" + base64(PieceTests.sha256(bytes[...]).bytes) + ":")
    }

    private static func base64(_ bytes: [UInt8]) -> String {
        let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
        return stride(from: 0, to: bytes.count, by: 3).reduce(into: "") { text, start in
            let group = bytes[start..<min(start + 3, bytes.count)]
            let word = group.enumerated().reduce(0) { $0 | Int($1.element) << (16 - 8 * $1.offset) }
            for place in 0..<4 { text.append(place <= group.count ? digits[word >> (18 - 6 * place) & 63] : "=") }
        }
    }

    private static func entity(_ fields: [(String, String)], of bytes: [UInt8] = body) -> OriginEntity {
        var entity = OriginEntity(bytes)
        entity.fields = fields
        return entity
    }

    private func origin(_ reports: [Report]) -> LedgerModel.Origin? {
        reports.lazy.compactMap { if case .resolved(let origin, _) = $0 { origin } else { nil } }.first
    }

    @Test func `a digest that the origin states is recorded, and holds`() async throws {
        try await Bench.run { bench in
            bench.origin.on("/f.bin") { Self.entity([Self.stated(Self.body)]).reply(to: $0) }
            await bench.completes(try bench.assignment("/f.bin"), as: "f.bin")
            #expect(origin(bench.reports.all)?.digest == Self.sum)
        }
    }

    @Test func `a digest that is stated without a validator lets ranges come beside each other`() async throws {
        try await Bench.run { bench in
            let (gate, whole) = (OriginGate(), OriginEntity.pattern(4 << 20))
            var entity = Self.entity([Self.stated(whole)], of: whole)
            entity.entityTag = nil
            bench.origin.on("/f.bin") { [entity] request in
                let reply = entity.reply(to: request)
                guard request["range"] != nil else { return reply.holding(at: gate, after: 200_000) }
                gate.open()
                return reply
            }
            await bench.completes(try bench.assignment("/f.bin") { $0.rangesMax = 4 }, as: "f.bin")
            #expect(try bench.file("f.bin") == whole)
            // What they gave is not asked for again.
            let asked = bench.origin.requests.compactMap { $0["range"] }
            #expect(asked.count >= 3 && Set(asked).count == asked.count, "\(asked)")
        }
    }

    @Test func `a file that is not what its origin states fails for good, and says whose word it was`() async throws {
        try await Bench.run { bench in
            bench.origin.on("/f.bin") { Self.entity([Self.stated([1])]).reply(to: $0) }
            let end = await bench.run(try bench.assignment("/f.bin"))
            guard case .failed(let failure, retryAt: nil) = end else { return #expect(Bool(false), "\(end)") }
            #expect(failure.code == .digestMismatch)
            #expect(failure.message.contains("where the origin states \(PieceTests.sha256([1]))"))
            #expect(try bench.file("f.bin") == nil)
        }
    }

    @Test func `what the user expects comes before what the origin states`() async throws {
        try await Bench.run { bench in
            bench.origin.on("/f.bin") { Self.entity([Self.stated([1])]).reply(to: $0) }
            await bench.completes(try bench.assignment("/f.bin", expected: Self.sum), as: "f.bin")
        }
    }

    @Test func `a mirror that the origin names finishes what it began, and gets no secrets`() async throws {
        let mirror = try await OriginServer.start()
        mirror.on("/m.bin") { OriginEntity(Self.body, entityTag: "\"m\"").reply(to: $0) }
        let link = ("Link", "<\(try mirror.url("/m.bin"))>; rel=duplicate; pri=1, </gone.bin>; rel=duplicate; pri=2")
        try await Bench.run { bench in
            bench.origin.script(
                "/f.bin",
                [
                    { Self.entity([link, Self.stated(Self.body)]).reply(to: $0).cut(after: 100_000) },
                    { _ in OriginReply(404) },
                ])
            var assignment = try bench.assignment("/f.bin")
            assignment.headers = [Assignment.Header(name: "X-Key", value: "s3cret")]
            assignment.credentials = "ada:pw"
            await bench.completes(assignment, as: "f.bin")
            #expect(try bench.file("f.bin") == Self.body)
            #expect(origin(bench.reports.all)?.mirrors.map(\.path) == ["/m.bin", "/gone.bin"])
            #expect(bench.reports.all.kinds.contains { $0.hasPrefix("blamed 127.0.0.1 status") })
        }
        #expect(mirror.requests.map { $0["range"] } == ["bytes=100000-"])
        #expect(mirror.requests.allSatisfy { $0["x-key"] == nil && $0["authorization"] == nil })
        try await mirror.stop()
    }

    @Test func `a mirror is not believed without a digest`() async throws {
        try await Bench.run { bench in
            let link = ("Link", "</m.bin>; rel=duplicate")
            bench.origin.script(
                "/f.bin",
                [{ Self.entity([link]).reply(to: $0).cut(after: 100_000) }, { _ in OriginReply(404) }])
            guard case .failed = await bench.run(try bench.assignment("/f.bin")) else { return #expect(Bool(false)) }
            #expect(!bench.origin.requests.map(\.target).contains("/m.bin"))
            #expect(origin(bench.reports.all)?.mirrors == [])
        }
    }

    @Test func `a description of a large file is asked for while the file comes`() async throws {
        let body = OriginEntity.pattern(5 << 20, seed: 7)
        let link = ("Link", "</d/f.meta4>; rel=describedby; type=\"application/metalink4+xml\"")
        try await Bench.run { bench in
            let gate = OriginGate()
            bench.origin.on("/f.bin") { Self.entity([link], of: body).reply(to: $0).holding(at: gate, after: 1 << 20) }
            bench.origin.on("/d/f.meta4") { _ in
                gate.open()
                return OriginReply(body: Array("<p>no Metalink".utf8))
            }
            await bench.completes(try bench.assignment("/f.bin") { $0.rangesMax = 1 }, as: "f.bin")
            #expect(try bench.file("f.bin") == body)
            #expect(bench.origin.requests.map(\.target) == ["/f.bin", "/d/f.meta4"])
        }
    }

    @Test func `a description of a small file is not worth a request`() async throws {
        try await Bench.run { bench in
            let link = ("Link", "</f.meta4>; rel=describedby; type=\"application/metalink4+xml\"")
            bench.origin.on("/f.bin") { Self.entity([link]).reply(to: $0) }
            await bench.completes(try bench.assignment("/f.bin"), as: "f.bin")
            #expect(bench.origin.requests.map(\.target) == ["/f.bin"])
        }
    }

    @Test func `row 40: one mirror dead, one slow, one with another entity`() async throws {
        let theCase = try #require(Catalogue.named("40-mirrors"))
        for hasPieces in [false, true] {
            let server = try await CaseServer.start(clock: ManualClock(.epoch))
            func url(_ name: String?) throws -> ResourceURL {
                try ResourceURL.parse(server.places.main + theCase.path("t", name)).url
            }
            let bytes = theCase.file.bytes
            try await Bench.run { bench in
                let sum = PieceTests.sha256(bytes[...])
                var assignment = try bench.assignment("/", name: "disk.iso", expected: sum) {
                    $0.silenceMillisecondsMax = 2000
                }
                assignment.url = try url(nil)
                assignment.order.url = assignment.url
                assignment.mirrors = try theCase.mirrors.map { Assignment.Mirror(try url($0)) }
                if hasPieces {
                    assignment.order.pieces = Shared(try PieceTests.hashes(bytes, pieceLength: 65_536))
                }
                await bench.completes(assignment, as: "disk.iso")
                #expect(try bench.file("disk.iso") == bytes)
                let blamed = bench.reports.all.compactMap { report in
                    if case .blamed(let source, let failure) = report {
                        source.lastPathComponent + " " + failure.code.rawValue
                    } else {
                        nil
                    }
                }
                #expect(
                    blamed == [
                        "dead.iso connection-lost", "slow.iso low-speed", "other.iso digest-mismatch",
                    ])
            }
            try await server.stop()
        }
    }
}
