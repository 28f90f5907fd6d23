import LedgerAPI
import LedgerSystem
import Synchronization
import SystemPackage

/// Serves a ledger's socket: each connection has a thread of its own that reads requests and writes answers in turn.
final class ControlServer: Sendable {
    private let path: FilePath
    private let listener = Mutex<LocalListener?>(nil)

    init(path: FilePath) { self.path = path }

    /// Begins to serve. The lock is held, so a socket that stands there is a leftover of a process that is gone.
    func start(_ client: any LedgerClient, _ fileSystem: any FileSystem) throws(FileError) {
        if try fileSystem.status(of: path) != nil { try fileSystem.unlink(path) }
        let started = try LocalListener(at: path)
        try started.start { connection in ControlSession(connection, client).run() }
        listener.withLock { $0 = started }
    }

    /// Takes no more connections and cuts those that are open.
    func stop() { listener.withLock { $0.take() }?.stop() }
}

/// One connection: requests are answered in the order they came, by the connection's own thread.
///
/// What someone watches is written on a thread beside: a peer that was stopped takes nothing, and must not keep whoever
/// hands out the rows waiting.
private final class ControlSession: Sendable {
    private let connection: LocalConnection
    private let client: any LedgerClient
    private let writer = BlockingPool(threads: 1)

    init(_ connection: LocalConnection, _ client: any LedgerClient) {
        self.connection = connection
        self.client = client
    }

    /// Runs on the connection's thread until the peer leaves.
    func run() {
        do throws(FileError) {
            while let message = try connection.receive() {
                let response = WaitingThread.wait { await self.answer(message) }
                guard send(response) else { return }
            }
        } catch {
            // The peer went away, or stands still, in the middle of a message: there is nobody left to tell.
            connection.close()
        }
    }

    private func answer(_ message: [UInt8]) async -> ControlResponse {
        do throws(Problem) {
            let request = try ControlRequest(decoding: message)
            guard case .watch(let query) = request.body else { return try await client.answer(request.body) }
            try await client.watch(query) { rows in await self.writer.run { self.send(.rows(rows)) } }
            return .end
        } catch {
            return .failed(error)
        }
    }

    /// Writes an answer; false when the peer is gone, or takes nothing. Blocks.
    private func send(_ response: ControlResponse) -> Bool {
        do {
            try connection.send(try response.encoded())
            return true
        } catch {
            connection.close()
            return false
        }
    }
}

extension LedgerClient {
    private func left() async throws(Problem) -> ControlResponse {
        try await leave()
        return .end
    }

    /// Answers every request but `watch`, which is answered again and again.
    fileprivate func answer(_ body: ControlRequest.Body) async throws(Problem) -> ControlResponse {
        switch body {
        case .status: .status(try await status())
        case .enqueue(let requests): .enqueued(try await enqueue(requests))
        case .act(let action, let selection, let command):
            .acted(try await act(action, on: selection, command: command))
        case .undo(let sequence, let command): .acted(try await undo(sequence, command: command))
        case .list(let query): .rows(try await list(query))
        case .watch: .end
        case .compact(let request): .compacted(try await compact(request))
        case .reconcile(let request): .reconciled(try await reconcile(request))
        case .redact(let request): .redacted(try await redact(request))
        case .limit(let change): .limited(try await limit(change))
        case .digest: .digest(try await digest())
        case .library(let request): .library(try await library(request))
        case .leave: try await left()
        }
    }
}
