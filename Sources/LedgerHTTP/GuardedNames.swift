import LedgerModel
import LedgerTransfer
import NIOCore
import NIOPosix
import Synchronization

/// Looks at what a name stands for before anything connects to it, for routes that keep out of private networks: what
/// answers there, and which ports are open, is nothing that who asks may learn; and TLS begins before a connection is
/// looked at.
///
/// A name may come to stand for another address at any time: the connection, once it stands, is looked at too.
final class GuardedNames: Sendable {
    /// How long a name that stands for public addresses is not looked up again, in seconds.
    static let knownSecondsMax: Int64 = 30
    /// How many names are known at once; beyond it all are forgotten.
    static let namesMax = 1024

    /// Until when each name is let pass.
    private let known = Mutex<[String: NIODeadline]>([:])

    /// Throws when a request may not go into private networks and its host is in one. A name that can not be looked up
    /// passes: connecting to it says why.
    func check(_ request: TransferRequest) async throws(Failure) {
        let (route, host) = (request.route, request.url.host)
        guard route.refusesPrivateAddresses, route.proxy == nil else { return }
        let now = NIODeadline.now()
        if known.withLock({ $0[host].map { $0 > now } ?? false }) { return }
        let patience = TimeAmount.milliseconds(Int64(route.silenceMillisecondsMax))
        let addresses = try await Self.addresses(of: host, port: request.url.port, patience)
        for address in addresses {
            if let refusal = ClientConfiguration.refusal(of: address) { throw refusal }
        }
        if !addresses.isEmpty { pass(host) }
    }

    /// Lets a name pass for a while.
    func pass(_ host: String) {
        known.withLock { known in
            if known.count >= Self.namesMax { known = [:] }
            known[host] = .now() + .seconds(Self.knownSecondsMax)
        }
    }

    /// All addresses of a host; none when that is not known, or nobody waits for it any more.
    private static func addresses(
        of host: String, port: Int, _ patience: TimeAmount
    ) async throws(Failure) -> [SocketAddress] {
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let found = loop.makePromise(of: [SocketAddress].self)
        let timer = loop.scheduleTask(in: patience) {
            found.fail(Failure(.connectTimeout, "the name '\(host)' was not looked up in time", isRetryable: true))
        }
        defer { timer.cancel() }
        let resolver = NIORandomizedDNSResolver(loop: loop)
        let version6 = resolver.initiateAAAAQuery(host: host, port: port)
        version6.and(resolver.initiateAQuery(host: host, port: port)).map { $0 + $1 }.cascade(to: found)
        do {
            return try await withTaskCancellationHandler {
                try await found.futureResult.get()
            } onCancel: {
                found.fail(CancellationError())
            }
        } catch {
            if let failure = error as? Failure { throw failure }
            return []
        }
    }
}
