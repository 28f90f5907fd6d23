import LedgerAPI
import LedgerEngine
import LedgerModel
import LedgerTestSupport
import SystemPackage
import Testing

@testable import LedgerHolder

/// What clients of the API ask for that leads into a private network is refused when it is asked for, as far as names
/// tell, and remembered for later where they do not.
struct ConfinedRequestTests {
    private static let place = "https://files.example.org/f.bin"
    private static let inside = [
        "127.0.0.1", "127.1", "0x7f000001", "2130706433", "localhost", "169.254.169.254", "10.0.0.1", "192.168.0.1",
        "[::1]", "[::ffff:10.0.0.1]", "[fe80::1]",
    ]

    private func request(_ change: (inout EnqueueRequest) -> Void = { _ in }) -> EnqueueRequest {
        var request = EnqueueRequest(url: Self.place, directory: "/d", command: CommandID(high: 1, low: 1))
        request.refusesPrivateAddresses = true
        change(&request)
        return request
    }

    private func refused(_ request: EnqueueRequest, as problem: RequestProblem) {
        #expect(throws: problem) { try request.order() }
        var own = request
        own.refusesPrivateAddresses = false
        #expect(throws: Never.self) { try own.order() }
    }

    @Test(arguments: inside)
    func `an order that names a private address is refused, wherever it names it`(host: String) throws {
        let url = "http://\(host)/x"
        let known = try ResourceURL.parse(url).url.host
        refused(request { $0.url = url }, as: .privateAddress(known))
        refused(request { $0.mirrors = [Self.place, url] }, as: .privateAddress(known))
        refused(request { $0.checksumFile = url }, as: .privateAddress(known))
        let problem = Problem(RequestProblem.privateAddress(known))
        #expect(problem.message.contains(known) && problem.cause != nil)
        #expect(problem.next?.contains("ledger run --allow-private") ?? false)
    }

    @Test func `an order of a public place remembers what it may not reach`() throws {
        #expect(try request().order().order.options.value.refusesPrivateAddresses)
        let own = request { $0.refusesPrivateAddresses = false }
        #expect(try own.order().order.options == TransferOptions.standard)
    }

    @Test func `a client names no proxy; the one of the configuration goes with its orders`() throws {
        let named = request { $0.proxy = "http://proxy.example.org:3128" }
        refused(named, as: .foreignProxy)
        refused(request { $0.proxy = "socks5h://10.0.0.1" }, as: .foreignProxy)
        let configured = request {
            $0.proxy = "http://127.0.0.1:3128"
            $0.trustsProxy = true
        }
        let options = try configured.order().order.options.value
        #expect(options.proxy == "http://127.0.0.1:3128" && options.refusesPrivateAddresses)
        refused(
            request {
                ($0.proxy, $0.trustsProxy, $0.url) = ("http://127.0.0.1:3128", true, "http://127.0.0.1/")
            }, as: .privateAddress("127.0.0.1"))
        #expect(Problem(RequestProblem.foreignProxy).next?.contains("configuration") ?? false)
    }

    @Test(arguments: inside)
    func `a listing is not read inside, nor out of a file`(host: String) throws {
        var request = FollowRequest(kind: .feed, source: "http://\(host)/feed", directory: "/d")
        request.refusesPrivateAddresses = true
        let known = try ResourceURL.parse(request.source).url.host
        #expect(throws: RequestProblem.privateAddress(known)) { try request.listing() }
        request.source = "/etc/passwd"
        #expect(throws: RequestProblem.url("/etc/passwd", .noScheme)) { try request.listing() }
        request.source = "file:///etc/passwd"
        #expect(throws: RequestProblem.self) { try request.listing() }
        request.source = Self.place
        #expect(try request.listing().listing.refusesPrivateAddresses)
    }

    @Test func `a change by a client confines its download, and one that leads inside is refused`() async throws {
        try await ServiceFixture.run { fixture in
            var own = try fixture.request("/a")
            own.isPaused = true
            let id = try await fixture.enqueue([own])[0].id
            var change = ChangeRequest()
            change.refusesPrivateAddresses = true
            #expect(change.isEmpty)
            change.url = try fixture.origin.url("/b").text
            let command = CommandID(high: 1, low: 5)
            await #expect(throws: Problem(RequestProblem.privateAddress("127.0.0.1"))) {
                try await fixture.service.act(.change(change), on: .ids([id]), command: command)
            }
            #expect(
                try await fixture.service.read { $0.queue[id]?.order.options.value.refusesPrivateAddresses } == false)
            change.url = Self.place
            _ = try await fixture.service.act(.change(change), on: .ids([id]), command: command)
            let order = try #require(try await fixture.service.read { $0.queue[id]?.order })
            #expect(order.url.text == Self.place && order.options.value.refusesPrivateAddresses)
            // A change by the machine's owner leaves it so.
            change.refusesPrivateAddresses = false
            change.url = "https://files.example.org/other.bin"
            _ = try await fixture.service.act(.change(change), on: .ids([id]), command: CommandID(high: 1, low: 6))
            #expect(
                try await fixture.service.read { $0.queue[id]?.order.options.value.refusesPrivateAddresses } == true)
        }
    }

    @Test func `a listing that is confined is read so, and so are its entries`() async throws {
        try await ServiceFixture.run { fixture in
            fixture.origin.otherwise { OriginEntity([1]).reply(to: $0) }
            // As if its name had come to stand for this address after it was asked for.
            var listing = Listing(
                kind: .feed, source: .url(try fixture.origin.url("/feed.xml")), directory: fixture.downloads.string)
            listing.refusesPrivateAddresses = true
            _ = try await fixture.service.execute([
                Submission(.library(.follow(listing, besides: [])), id: nil, actor: .api)
            ])
            guard case .listings(let rows) = try await fixture.service.library(.refresh([], .feed)) else {
                return #expect(Bool(false))
            }
            #expect(rows.first?.error?.code == "redirect")
            #expect(rows.first?.error?.message.contains("inside a private network") ?? false)
            #expect(fixture.origin.connectionCount == 0)
            let followed = try #require(try await fixture.service.read { $0.library.listings.values.first })
            let entry = ListedEntry(guid: "1", url: try fixture.origin.url("/1.mp3"))
            let made = OrderOfEntry(entry, of: followed, fixture.service.secrets, OwnDefaults())
            #expect(made.order.options.value.refusesPrivateAddresses)
        }
    }
}
