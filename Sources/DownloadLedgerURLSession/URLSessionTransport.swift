import Foundation
package import LedgerModel
package import LedgerTransfer
import Synchronization

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// ``Transport`` over Foundation's URLSession.
///
/// Not the usual one: it copies what arrives and hops from thread to thread with it, unpacks what nobody asked it to,
/// and on Linux can not be held back. It is for apps on Apple systems that want the system's proxies and policies, and
/// the proof that nothing above ``Transport`` knows which client is below.
package final class URLSessionTransport: Transport {
    private let router = SessionRouter()
    private let session: Mutex<URLSession?>

    /// A transport without connections yet, which keeps no cache, cookie or credential.
    package init() {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.urlCache = nil
        configuration.requestCachePolicy = .reloadIgnoringLocalAndRemoteCacheData
        configuration.urlCredentialStorage = nil
        configuration.httpCookieStorage = nil
        configuration.httpShouldSetCookies = false
        // The queue limits how many run, so this must never be what makes one wait.
        configuration.httpMaximumConnectionsPerHost = 1024
        session = Mutex(URLSession(configuration: configuration, delegate: router, delegateQueue: nil))
    }

    /// Closes every connection. Fetches under way fail; later ones are refused.
    package func shutdown() async {
        let session = session.withLock { session in
            defer { session = nil }
            return session
        }
        session?.invalidateAndCancel()
    }

    package func fetch(
        _ request: TransferRequest,
        receive: @escaping @Sendable (TransferResponse) async throws(Failure) -> (any BodySink)?
    ) async throws(Failure) {
        let outgoing = try URLRequest(request)
        let exchange = Exchange()
        // An invalidated session must not be given tasks: it traps.
        let started = session.withLock { session in
            session.map { session in
                let task = session.dataTask(with: outgoing)
                router.begin(task, exchange)
                task.resume()
                return task
            }
        }
        guard let task = started else {
            throw Failure(.connectionLost, "the transport is shut down", isRetryable: true)
        }
        // Whatever ended the fetch, nothing more is to arrive; of no effect on a task that is over.
        defer { task.cancel() }
        var failure: (any Error)?
        do {
            try await withTaskCancellationHandler {
                try await exchange.hand(over: request, to: receive)
            } onCancel: {
                task.cancel()
            }
        } catch { failure = error }
        if let failure { throw Failure(failure, of: request) }
    }
}
