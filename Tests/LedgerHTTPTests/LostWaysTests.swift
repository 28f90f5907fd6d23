import LedgerModel
import LedgerSystem
import LedgerTestSupport
import LedgerTransfer
import Synchronization
import Testing

@testable import LedgerHTTP

/// What this machine has no way to, and how that is told from an origin that is not there.
@Suite struct LostWaysTests {
    /// The networks of a machine, as a test has them.
    private final class Machine: Sendable {
        private let state: Mutex<(hasInterface: Bool, ways: Set<String>)>
        private let hasResolver: Bool

        init(hasInterface: Bool = true, ways: Set<String> = [], hasResolver: Bool = false) {
            state = Mutex((hasInterface, ways))
            self.hasResolver = hasResolver
        }

        func change(hasInterface: Bool = true, ways: Set<String>) { state.withLock { $0 = (hasInterface, ways) } }

        var look: NetworkLook {
            NetworkLook(
                hasInterface: { self.state.withLock { $0.hasInterface } },
                hasWay: { address in self.state.withLock { $0.ways.contains(address) } },
                isUnknown: { _ in self.hasResolver })
        }
    }

    @Test func `a host is lost while there is no way to any of its addresses, and forgotten then`() async {
        let machine = Machine(ways: ["10.0.0.2"])
        let ways = LostWays(machine.look)
        #expect(await !ways.note("a", ["fd00::1", "10.0.0.2"]))
        #expect(ways.hosts() == [])
        for (host, addresses) in [("b", ["10.0.0.3"]), ("c", []), ("d", ["10.0.0.4", "10.0.0.5"])] {
            #expect(await ways.note(host, addresses))
        }
        #expect(ways.hosts() == ["b", "c", "d"])
        machine.change(ways: ["10.0.0.5"])
        #expect(ways.hosts() == ["b", "c"])
        machine.change(ways: [NetworkLook.anyAddresses[1]])
        #expect(ways.hosts() == [], "a way to anywhere is worth an attempt")
        machine.change(ways: [])
        #expect(ways.hosts() == [], "what has come back is not lost again by itself")
    }

    @Test func `a machine that never had a network has lost none, and one whose interface went has`() async {
        let never = LostWays(Machine(hasInterface: false).look)
        #expect(await !never.note("a", []))
        #expect(never.hosts() == [])
        let machine = Machine()
        let ways = LostWays(machine.look)
        machine.change(hasInterface: false, ways: [])
        #expect(await ways.note("a", []))
        #expect(ways.hosts() == ["a"])
    }

    @Test func `a machine that reaches others has a network, though it has no way to this one`() async {
        let ways = LostWays(Machine(ways: [NetworkLook.anyAddresses[0]]).look)
        #expect(await !ways.note("only6", ["fd00::1"]))
        #expect(ways.hosts() == [])
    }

    @Test func `a network without a way to others may have a resolver, whose word counts`() async {
        let ways = LostWays(Machine(ways: ["10.0.0.2"], hasResolver: true).look)
        #expect(await !ways.note("a", []))
        #expect(await ways.note("b", ["10.0.0.3"]))
        #expect(ways.hosts() == ["b"])
    }

    @Test func `no more hosts are remembered than may be`() async {
        let ways = LostWays(Machine().look)
        for number in 0...LostWays.hostsMax { #expect(await ways.note("\(number)", [])) }
        #expect(ways.hosts().count == LostWays.hostsMax)
        #expect(await ways.note("7", ["10.0.0.1"]), "one that is known is still told of")
    }

    @Test func `the system has a way to itself, and to what is no address in numbers`() {
        #expect(NetworkLook.system.hasWay("127.0.0.1") && NetworkLook.system.hasWay("nowhere.invalid"))
        #expect(!NetworkLook.system.hasWay("240.0.0.1") || NetworkLook.system.hasInterface())
    }

    @Test func `a failure for want of a network says nothing against the download, and is tried again`() async throws {
        let machine = Machine()
        try await Bench.run(settings: RangeTests.oneRetry, network: machine.look) { bench in
            var assignment = try bench.assignment("/disk.iso")
            assignment.attemptsFailed = 9
            assignment.url = try ResourceURL.parse("http://nowhere.invalid/x").url
            guard case .failed(let lost, retryAt: .some) = await bench.run(assignment) else {
                return #expect(Bool(false), "it was the last attempt")
            }
            #expect(lost.code == .nameNotResolved && lost.isExcused)
            #expect(lost.message == "this machine has no network: the name 'nowhere.invalid' is not known")
            #expect(bench.transport.lostHosts == ["nowhere.invalid"])
            machine.change(ways: Set(NetworkLook.anyAddresses))
            #expect(bench.transport.lostHosts == [])
            guard case .failed(let unknown, retryAt: nil) = await bench.run(assignment) else {
                return #expect(Bool(false), "a name that is not known is waited for")
            }
            #expect(!unknown.isExcused && bench.transport.lostHosts == [])
        }
    }

    @Test func `a cable that was pulled shows as silence, too`() async throws {
        let machine = Machine()
        try await Bench.run(settings: RangeTests.oneRetry, network: machine.look) { bench in
            let full = try FullListener()
            var assignment = try bench.assignment("/disk.iso") { $0.silenceMillisecondsMax = 500 }
            assignment.url = try ResourceURL.parse("http://127.0.0.1:\(full.port)/x").url
            guard case .failed(let lost, retryAt: .some) = await bench.run(assignment) else {
                return #expect(Bool(false), "it was the last attempt")
            }
            #expect(lost.code == .connectTimeout && lost.isExcused && bench.transport.lostHosts == ["127.0.0.1"])
            machine.change(ways: ["127.0.0.1"])
            assignment.attemptsFailed = 1
            guard case .failed(let slow, retryAt: nil) = await bench.run(assignment) else {
                return #expect(Bool(false), "an origin that is there and takes no connection is waited for")
            }
            #expect(slow.code == .connectTimeout && !slow.isExcused && bench.transport.lostHosts == [])
            full.end()
        }
    }

    @Test func `who wants no attempt made again is told of a lost network`() async throws {
        try await Bench.run(network: Machine().look) { bench in
            var assignment = try bench.assignment("/disk.iso") { $0.retriesMax = 0 }
            assignment.url = try ResourceURL.parse("http://nowhere.invalid/x").url
            guard case .failed(let lost, retryAt: nil) = await bench.run(assignment) else {
                return #expect(Bool(false), "it is tried again")
            }
            #expect(lost.code == .nameNotResolved && !lost.isExcused)
        }
    }
}
