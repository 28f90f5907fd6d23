import DownloadLedgerURLSession
import HTTPTypes
import LedgerModel
import LedgerSystem
import LedgerTestSupport
import LedgerTransfer
import SystemPackage
import Testing

@testable import LedgerHTTP

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Whose orders may not reach a private network reaches none, by whatever way.
@Suite struct ConfinedTests {
    private static let place = "http://files.example.org"

    /// An order of a client of the API, under a public name: the bench's server is the proxy, named by the
    /// configuration, that fetches it there.
    private func assignment(
        _ path: String, _ bench: Bench, _ change: (inout TransferOptions) -> Void = { _ in }
    ) throws -> Assignment {
        var assignment = try bench.assignment(path) { options in
            options.refusesPrivateAddresses = true
            change(&options)
        }
        assignment.url = try ResourceURL.parse(Self.place + path).url
        assignment.proxy = try Proxy.parse(bench.cases.places.main)
        return assignment
    }

    private func refused(_ end: WorkerEnd, sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(end.failure?.code == .redirect, "\(end)", sourceLocation: sourceLocation)
        let isSaid = end.failure?.message.contains("inside a private network, which is refused") ?? false
        #expect(isSaid, "\(end)", sourceLocation: sourceLocation)
        #expect(end.retryAt == nil, sourceLocation: sourceLocation)
    }

    @Test(arguments: [
        "127.0.0.1", "127.1", "2130706433", "0x7f000001", "017700000001", "0x7f.0.0.1", "127.0.0.1.", "0", "localhost",
        "LOCALHOST.", "a.localhost", "169.254.169.254", "10.1.2.3", "172.16.0.1", "192.168.1.1", "100.64.0.1",
        "[::1]", "[::]", "[::ffff:127.0.0.1]", "[::ffff:a9fe:a9fe]", "[64:ff9b::7f00:1]", "[fe80::1]", "[fd00::1]",
    ])
    func `a private address is refused without a connection, however it is written`(host: String) async throws {
        try await Bench.run { bench in
            bench.origin.otherwise { OriginEntity([1]).reply(to: $0) }
            var assignment = try bench.assignment("/f.bin") { $0.refusesPrivateAddresses = true }
            assignment.url = try bench.origin.url("/f.bin", host: host)
            refused(await bench.run(assignment))
            #expect(bench.origin.connectionCount == 0)
            #expect(bench.reports.all.kinds == ["failed redirect for good"])
        }
    }

    @Test(arguments: ["29-to-loopback", "29-to-name"])
    func `a redirect from a public place into loopback is refused, whatever the program allows`(
        slug: String
    ) async throws {
        let theCase = try Bench.named(slug)
        try await Bench.run { bench in
            refused(await bench.run(try assignment(theCase.path(Bench.token), bench)))
            #expect(bench.seen(theCase).requests.count == 1)
        }
    }

    @Test func `a mirror inside is passed over, and its failure told`() async throws {
        try await Bench.run { bench in
            let inside = try bench.origin.url("/inside.bin")
            bench.origin.otherwise { $0.path == "/f.bin" ? OriginReply(404) : OriginEntity([1]).reply(to: $0) }
            var assignment = try assignment("/f.bin", bench)
            assignment.mirrors = [Assignment.Mirror(inside)]
            let end = await bench.run(assignment)
            let words = end.failure?.message ?? ""
            #expect(words.contains("'127.0.0.1' is inside a private network, which is refused"), "\(words)")
            #expect(bench.origin.requests.map(\.path) == ["/f.bin"])
        }
    }

    @Test func `a list of checksums inside is not read, and nothing is fetched`() async throws {
        try await Bench.run { bench in
            let inside = try bench.origin.url("/SUMS")
            bench.origin.otherwise { OriginEntity([1]).reply(to: $0) }
            var assignment = try assignment("/f.bin", bench)
            assignment.checksumFile = Assignment.Mirror(inside)
            refused(await bench.run(assignment))
            #expect(bench.origin.requests.isEmpty)
        }
    }

    @Test func `what an answer names inside is not asked: no mirror, and no description`() async throws {
        try await Bench.run { bench in
            let inside = try bench.origin.url("").text
            let body = OriginEntity.pattern(5 << 20)
            bench.origin.otherwise { request in
                var entity = OriginEntity(body)
                entity.fields = [
                    ("Link", "<\(inside)copy.bin>; rel=duplicate"),
                    ("Link", "<\(inside)f.meta4>; rel=describedby; type=\"application/metalink4+xml\""),
                ]
                return entity.reply(to: request)
            }
            var assignment = try assignment("/f.bin", bench) { $0.rangesMax = 1 }
            assignment.order.expected = PieceTests.sha256(body[...])
            await bench.completes(assignment, as: "f.bin")
            #expect(Set(bench.origin.requests.map(\.path)) == ["/f.bin"])
            guard case .resolved(let origin, _)? = bench.reports.all.first else { return #expect(Bool(false)) }
            #expect(origin.mirrors.isEmpty)
        }
    }

    @Test(arguments: [true, false])
    func `a directory that becomes a link on the way takes no file`(isNamedByServer: Bool) async throws {
        try await Bench.run { bench in
            let (disk, directory) = (bench.fileSystem, bench.directory)
            try disk.createDirectory(directory.appending("outside"), permissions: 0o755)
            bench.origin.otherwise { request in
                // Between the question and the part.
                #expect(symlink("outside", directory.appending("place").string) == 0)
                return OriginEntity([1, 2, 3]).reply(to: request)
            }
            var assignment = try bench.assignment("/f.bin") {
                if isNamedByServer { $0.namedComponents = 1 } else { $0.refusesLinks = true }
            }
            assignment.order.destination = Destination(directory: bench.path("place"), name: nil)
            let end = await bench.run(assignment)
            #expect(end.failure?.code == .destinationTaken && end.retryAt == nil, "\(end)")
            #expect(try disk.list(directory.appending("outside")).isEmpty)
            #expect(bench.origin.requests.count == 1)
        }
    }

    @Test func `what a server named is a link nowhere, and where somebody here said may be behind one`() async throws {
        try await Bench.run { bench in
            bench.origin.on("/f.bin") { OriginEntity([1, 2, 3]).reply(to: $0) }
            let (disk, directory) = (bench.fileSystem, bench.directory)
            try disk.createDirectory(directory.appending("real"), permissions: 0o755)
            try #require(symlink("real", directory.appending("mine").string) == 0)
            var assignment = try bench.assignment("/f.bin") { $0.namedComponents = 2 }
            assignment.order.destination = Destination(directory: bench.path("mine/a/b"), name: nil)
            #expect(await bench.run(assignment) == .completed(path: bench.path("mine/a/b/f.bin")))
            try disk.rename(
                directory.appending("real").appending("a"), to: directory.appending("real").appending("c"),
                replacing: false)
            try #require(symlink("c", directory.appending("real").appending("a").string) == 0)
            let end = await bench.run(assignment)
            #expect(end.failure?.code == .destinationTaken, "\(end)")
            try disk.rename(
                directory.appending("real").appending("c"), to: directory.appending("real").appending("d"),
                replacing: false)
            let nowhere = await bench.run(assignment)
            #expect(nowhere.failure?.message.contains("leads nowhere") ?? false, "\(nowhere)")
        }
    }

    @Test func `a publication that a crash cut short goes through no link`() async throws {
        try await Bench.run { bench in
            let disk = bench.fileSystem
            var assignment = try bench.assignment("/f.bin") { $0.refusesLinks = true }
            let origin = try bench.known("/f.bin", length: 3)
            try bench.left([1, 2, 3], of: origin, for: &assignment)
            try disk.rename(bench.directory, to: FilePath(bench.directory.string + "-moved"), replacing: false)
            try #require(symlink(bench.directory.string + "-moved", bench.directory.string) == 0)
            let sum = PieceTests.sha256([1, 2, 3])
            assignment.verified = Assignment.Verified(length: 3, sha256: sum, path: bench.path("f.bin"))
            let end = await bench.worker.finishPublication(of: assignment)
            #expect(end.failure?.code == .destinationTaken, "\(end)")
            try disk.unlink(bench.directory)
            try disk.rename(FilePath(bench.directory.string + "-moved"), to: bench.directory, replacing: false)
            #expect(try bench.names.count == 1 && bench.file("f.bin") == nil)
            #expect(await bench.worker.finishPublication(of: assignment) == .completed(path: bench.path("f.bin")))
        }
    }

    private func fetch(_ bench: Bench, isSecure: Bool) async throws -> Failure {
        var route = TransferRequest.Route(silenceMillisecondsMax: 30_000)
        (route.refusesPrivateAddresses, route.isInsecure) = (true, isSecure)
        // What the name says is not looked at here, only what it stands for.
        let url = try bench.origin.url("/f.bin", host: "localhost")
        return try await #require(throws: Failure.self) {
            try await bench.transport.fetch(TransferRequest(url: url, fields: [:], route: route)) { _ throws(Failure) in
                Issue.record("an answer came from a private address")
                return nil
            }
        }
    }

    @Test(arguments: [false, true])
    func `a name that stands for a private address is looked up, and not connected to`(isSecure: Bool) async throws {
        try await Bench.run(isSecure: isSecure) { bench in
            let failure = try await fetch(bench, isSecure: isSecure)
            #expect(failure.code == .redirect && !failure.isRetryable)
            #expect(failure.message == "the way leads to '127.0.0.1', inside a private network, which is refused")
            #expect(bench.origin.connectionCount == 0)
        }
    }

    @Test(arguments: [false, true])
    func `a name that has come to stand for a private address meanwhile is found out by its connection`(
        isSecure: Bool
    ) async throws {
        try await Bench.run(isSecure: isSecure) { bench in
            bench.transport.names.pass("localhost")
            let failure = try await fetch(bench, isSecure: isSecure)
            #expect(failure.code == .redirect && !failure.isRetryable)
            #expect(bench.origin.requests.isEmpty)
        }
    }

    @Test func `URLSession, which does not show where it connects to, fetches nothing for such an order`() async throws
    {
        try await Bench.run { bench in
            let transport = URLSessionTransport()
            var route = TransferRequest.Route(silenceMillisecondsMax: 30_000)
            route.refusesPrivateAddresses = true
            let request = TransferRequest(url: try bench.origin.url("/f.bin"), fields: [:], route: route)
            let failure = try await #require(throws: Failure.self) {
                try await transport.fetch(request) { _ throws(Failure) in nil }
            }
            #expect(failure.code == .unsupported && failure.message.contains("the refusal of private addresses"))
            #expect(bench.origin.connectionCount == 0)
            await transport.shutdown()
        }
    }
}
