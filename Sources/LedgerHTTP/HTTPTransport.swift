import AsyncHTTPClient
import HTTPTypes
package import LedgerModel
package import LedgerTransfer
import NIOCore
import NIOHTTP1
import NIOPosix
import Synchronization

/// ``Transport`` over async-http-client: HTTP/1.1, tuned for bodies, and HTTP/2 where it is asked for or nothing else
/// is taken.
///
/// One client, with its connections, for each distinct way to an origin. A body is handed over on the event loop, where
/// it arrived, without a copy.
package final class HTTPTransport: Transport {
    /// How many idle clients are kept, with their connections; beyond it the one unused for longest is closed.
    package static let clientsIdleMax = 16
    /// How many clients of one origin are abandoned, because their HTTP/2 connection was silent for too long, and not
    /// closed yet: the engine can not close one that does not begin. Beyond it what comes after is put on such a
    /// connection, too.
    static let abandonedPerOriginMax = 2
    /// How many are abandoned in all; beyond it the same.
    static let abandonedMax = 64
    /// How many origins are remembered as taking HTTP/2 alone; beyond it all are forgotten.
    package static let originsKnownMax = 1024
    /// How long the end of all connections is waited for, in seconds.
    static let closeSecondsMax: Int64 = 2
    /// How often a request is made again at once because the connection that it was to go out on had been closed
    /// meanwhile: several may have been kept for too long.
    static let staleConnectionsMax = 3

    /// What names stand for that may not stand for private addresses.
    let names = GuardedNames()
    /// Where this machine has no way to.
    private let ways: LostWays
    /// The one thread of all its connections: where a body arrives it is written, without a hop. A client of several
    /// loops hops, or, told on which loop, makes a connection for each request and closes it behind it.
    private let loop: any EventLoop
    private let steps: LoopExecutor
    private let clients = Mutex(Clients())

    private struct Clients {
        var entries: [ClientKey: Entry] = [:]
        /// Those that no fetch is put on any more, until they are closed.
        var abandoned: [ObjectIdentifier: (key: ClientKey, entry: Entry)] = [:]
        var uses: UInt64 = 0
        var isShutDown = false
        /// The origins that were seen to take HTTP/2 alone.
        var onlyHTTP2: Set<String> = []

        /// A fetch on `client` is over; the client itself when nothing holds it any more.
        mutating func release(_ client: HTTPClient, _ key: ClientKey, isStalled: Bool) -> HTTPClient? {
            let id = ObjectIdentifier(client)
            if entries[key]?.client === client {
                entries[key]?.fetches -= 1
                guard isStalled, mayAbandon(key), let entry = entries.removeValue(forKey: key) else { return nil }
                abandoned[id] = (key, entry)
            } else {
                abandoned[id]?.entry.fetches -= 1
            }
            return abandoned[id]?.entry.fetches == 0 ? client : nil
        }

        private func mayAbandon(_ key: ClientKey) -> Bool {
            abandoned.count < abandonedMax && abandoned.values.count { $0.key == key } < abandonedPerOriginMax
        }
    }

    private struct Entry {
        let client: HTTPClient
        var fetches = 0
        var lastUse: UInt64 = 0
    }

    /// A transport without connections yet.
    package init(network: NetworkLook = .system) {
        ways = LostWays(network)
        loop = MultiThreadedEventLoopGroup.singleton.next()
        steps = LoopExecutor(loop)
    }

    /// The loop of its connections.
    package var executor: (any TaskExecutor)? { steps }

    package var lostHosts: Set<String> { ways.hosts() }

    /// Closes every connection, and waits for that, ``closeSecondsMax`` at most, but not for what was closing already.
    /// Fetches under way fail; later ones are refused.
    package func shutdown() async {
        let all = clients.withLock { clients in
            clients.isShutDown = true
            defer { clients.entries = [:] }
            return (Array(clients.entries.values) + clients.abandoned.values.map(\.entry)).map(\.client)
        }
        let closing = Self.close(all)
        // Not for ever: a connection to an origin that agreed to HTTP/2 and says nothing never ends by itself.
        let over = loop.makePromise(of: Void.self)
        let timer = loop.scheduleTask(in: .seconds(Self.closeSecondsMax)) { over.succeed() }
        Task {
            await closing.value
            timer.cancel()
            over.succeed()
        }
        do { try await over.futureResult.get() } catch {
            // It does not fail.
            return
        }
    }

    package func fetch(
        _ request: TransferRequest,
        receive: @escaping @Sendable (TransferResponse) async throws(Failure) -> (any BodySink)?
    ) async throws(Failure) {
        try await names.check(request)
        let isOnlyHTTP2 = clients.withLock { $0.onlyHTTP2.contains(request.url.origin) }
        let key = ClientKey(request, speaksOnlyHTTP2: isOnlyHTTP2)
        var (failure, cause) = try await fetch(request, key, receive)
        for _ in 0..<Self.staleConnectionsMax where cause is StaleConnection {
            (failure, cause) = try await fetch(request, key, receive)
        }
        guard let failure else { return }
        let other = ClientKey(request, speaksOnlyHTTP2: true)
        guard let cause, Failure.isForWantOfProtocol(cause), other != key else { throw failure }
        // Nothing was asked yet: the handshake ended because the origin takes no HTTP/1.1.
        clients.withLock { clients in
            if clients.onlyHTTP2.count >= Self.originsKnownMax { clients.onlyHTTP2 = [] }
            clients.onlyHTTP2.insert(request.url.origin)
        }
        if let failure = try await fetch(request, other, receive).failure { throw failure }
    }

    /// One fetch with the client for `key`: why it failed, and what the engine said of that.
    private func fetch(
        _ request: TransferRequest, _ key: ClientKey,
        _ receive: @escaping @Sendable (TransferResponse) async throws(Failure) -> (any BodySink)?
    ) async throws(Failure) -> (failure: Failure?, cause: (any Error)?) {
        let outgoing = try Self.outgoing(request, key)
        let client = try borrow(key)
        let (begun, patience) = (NIODeadline.now(), TimeAmount.milliseconds(Int64(key.route.silenceMillisecondsMax)))
        let unpacking = Unpacking(receive)
        let delegate = ResponseDelegate(
            receive: Self.checking(key, request.decodes ? unpacking.receive : receive), on: steps,
            host: request.url.host, silence: patience)
        let task = client.execute(request: outgoing, delegate: delegate)
        // An error that is handed out of the handler as a value is freed too early by the compiler (6.3.1, optimized).
        var problem: (any Error)?
        do {
            try await withTaskCancellationHandler {
                try await task.get()
            } onCancel: {
                delegate.cancel()
                task.cancel()
            }
        } catch { problem = error }
        // `receive` may still be at work when all has come, or the connection broke: nobody is left behind.
        await withTaskCancellationHandler {
            await delegate.settled()
        } onCancel: {
            delegate.cancel()
        }
        var failure = delegate.outcome(of: problem, request)
        if !delegate.isSent {
            let host = request.url.host
            failure = await failure?.excused(problem, peer: request.route.proxy?.host ?? host, host: host, ways)
        }
        // A connection of HTTP/2 that is dead, or does not begin, is what the engine would put every other request on,
        // or have it wait for; one that is only slow or full is left, too. Why nothing could be sent is not asked: the
        // engine may tell of something older.
        let isStalled =
            key.offersHTTP2
            && (failure?.code == .silence || !delegate.isSent && NIODeadline.now() - begun >= patience)
        giveBack(client, key, isStalled: isStalled)
        if let failure {
            // What a proxy closes while it is asked for the way is no connection yet.
            let isStale = request.route.proxy == nil && delegate.foundClosed(problem)
            return (failure, isStale ? StaleConnection() : problem)
        }
        try unpacking.finish()
        return (nil, nil)
    }

    /// A proxy that forwards requests asks who we are in an answer that looks like the origin's.
    private static func checking(
        _ key: ClientKey, _ receive: @escaping ResponseDelegate.Receive
    ) -> ResponseDelegate.Receive {
        guard let proxy = key.route.proxy, proxy.isForwarding(isSecure: key.isSecure) else { return receive }
        return { response throws(Failure) in
            if response.status == 407 { throw Failure.proxyAuthentication(proxy) }
            return try await receive(response)
        }
    }

    private static func outgoing(_ request: TransferRequest, _ key: ClientKey) throws(Failure) -> HTTPClient.Request {
        var headers = HTTPHeaders()
        for field in request.fields where field.name != .cookie {
            headers.add(name: field.name.rawName, value: field.value)
        }
        // One field, whatever it is made of (RFC 6265, section 5.4).
        if let cookies = request.fields[.cookie] { headers.add(name: "Cookie", value: cookies) }
        let origin = request.url.origin
        var text = key.sendsPathBytes ? PathBytes.escaped(request.url) : request.url.text
        if let proxy = request.route.proxy {
            // The engine connects to the proxy; what is behind that is made by ``ProxyPath``.
            let authority = origin.dropFirst(request.url.scheme.count + 3)
            if !headers.contains(name: "Host") { headers.add(name: "Host", value: String(authority)) }
            text = "http://\(proxy.authority)" + text.dropFirst(origin.count)
        }
        do {
            return try HTTPClient.Request(
                url: text, method: HTTPMethod(rawValue: request.method.rawValue), headers: headers)
        } catch {
            throw Failure(
                .unsupported, "'\(request.url.redacted)' can not be requested: \(error)", isRetryable: false)
        }
    }

    private func borrow(_ key: ClientKey) throws(Failure) -> HTTPClient {
        // Made outside of the lock: it reads the files of certificates.
        let isKnown = clients.withLock { $0.entries[key] != nil }
        let fresh = isKnown ? nil : try client(key)
        let (client, closing) = clients.withLock { clients -> (HTTPClient?, [HTTPClient]) in
            let unused = [fresh].compactMap(\.self)
            guard !clients.isShutDown, let client = clients.entries[key]?.client ?? fresh else { return (nil, unused) }
            clients.uses += 1
            var entry = clients.entries[key] ?? Entry(client: client)
            entry.fetches += 1
            entry.lastUse = clients.uses
            clients.entries[key] = entry
            return (client, unused.filter { $0 !== client } + Self.evict(&clients))
        }
        Self.close(closing)
        guard let client else {
            // Evicted or abandoned meanwhile, where it was known.
            if isKnown, !clients.withLock(\.isShutDown) { return try borrow(key) }
            throw Failure(.connectionLost, "the transport is shut down", isRetryable: true)
        }
        return client
    }

    private func client(_ key: ClientKey) throws(Failure) -> HTTPClient {
        HTTPClient(
            eventLoopGroupProvider: .shared(loop),
            configuration: try ClientConfiguration.make(key))
    }

    private func giveBack(_ client: HTTPClient, _ key: ClientKey, isStalled: Bool) {
        let (leaving, closing) = clients.withLock { clients in
            (clients.release(client, key, isStalled: isStalled), Self.evict(&clients))
        }
        Self.close(closing)
        guard let leaving else { return }
        // For ever, where a connection never begins: it keeps nobody alive.
        Task { [weak self] in
            await Self.close([leaving]).value
            self?.clients.withLock { $0.abandoned[ObjectIdentifier(leaving)] = nil }
        }
    }

    private static func evict(_ clients: inout Clients) -> [HTTPClient] {
        guard clients.entries.count > clientsIdleMax else { return [] }
        let idle = clients.entries.filter { $0.value.fetches == 0 }.sorted { $0.value.lastUse < $1.value.lastUse }
        let surplus = idle.prefix(max(0, idle.count - clientsIdleMax))
        for (key, _) in surplus { clients.entries[key] = nil }
        return surplus.map(\.value.client)
    }

    /// Closes clients beside whatever the caller does: no fetch waits for the connections of another.
    @discardableResult
    private static func close(_ clients: [HTTPClient]) -> Task<Void, Never> {
        Task {
            await withTaskGroup(of: Void.self) { group in
                for client in clients {
                    group.addTask {
                        do { try await client.shutdown() } catch {
                            // Its connections are closing either way, and nobody waits for them.
                            return
                        }
                    }
                }
            }
        }
    }
}
