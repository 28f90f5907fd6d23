import LedgerAPI
import LedgerSystem
import Synchronization
import SystemPackage

/// Serves a ledger's socket: each connection has a thread of its own that reads requests and writes answers in turn.
final class ControlServer: Sendable {
    private let path: FilePath
    private let listBytesMax: Int
    private let listener = Mutex<LocalListener?>(nil)

    init(path: FilePath, listBytesMax: Int = ControlRequest.listBytesMax) {
        self.path = path
        self.listBytesMax = listBytesMax
    }

    /// Begins to serve. The lock is held, so a socket that stands there is a leftover of a process that is gone.
    func start(_ client: any LedgerClient, _ fileSystem: any FileSystem) throws(FileError) {
        if try fileSystem.status(of: path) != nil { try fileSystem.unlink(path) }
        let started = try LocalListener(at: path)
        let listBytesMax = listBytesMax
        try started.start { ControlSession($0, client, listBytesMax: listBytesMax).run() }
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
    /// Behind an answer of more parts than this, what it took is given back to the system: ten thousand rows.
    private static let longAnswerPartsMin = 40

    private let connection: LocalConnection
    private let client: any LedgerClient
    private let listBytesMax: Int
    private let writer = BlockingPool(threads: 1)
    /// The beginning of a long list whose end is still to come.
    private let gathered = Mutex<GatheredList?>(nil)

    init(_ connection: LocalConnection, _ client: any LedgerClient, listBytesMax: Int) {
        self.connection = connection
        self.client = client
        self.listBytesMax = listBytesMax
    }

    /// Runs on the connection's thread until the peer leaves.
    func run() {
        do throws(FileError) {
            while let message = try connection.receive() {
                guard answer(message) else { return }
            }
        } catch {
            // The peer went away, or stands still, in the middle of a message: there is nobody left to tell.
            connection.close()
        }
    }

    /// Answers a message; false when the peer is gone, or takes nothing. Blocks.
    private func answer(_ message: [UInt8]) -> Bool {
        let (isSent, parts) = send(WaitingThread.wait { await self.response(to: message) })
        if parts > Self.longAnswerPartsMin { CurrentProcess.releaseFreedMemory() }
        return isSent
    }

    private func response(to message: [UInt8]) async -> ControlResponse {
        do throws(Problem) { return try await meet(message) } catch { return .failed(error) }
    }

    /// Does what a message asks for.
    private func meet(_ message: [UInt8]) async throws(Problem) -> ControlResponse {
        // Whatever does not go on with a list that was begun ends it.
        var list = gathered.withLock { $0.take() } ?? GatheredList()
        switch try ControlRequest(decoding: message).body {
        case .gather(let requests):
            try list.add(requests, bytes: message.count, bytesMax: listBytesMax)
            gathered.withLock { $0 = list }
            return .gathered
        case .enqueue(let rest):
            try list.add(rest, bytes: message.count, bytesMax: listBytesMax)
            return .enqueued(try await client.enqueue(list.requests))
        case .watch(let query):
            try await client.watch(query) { rows in await self.writer.run { self.send(.rows(rows)).isSent } }
            return .end
        case .leave:
            try await client.leave()
            return .end
        case .act(let action, let selection, let command):
            return .acted(try await client.act(action, on: selection, command: command))
        case .undo(let sequence, let command): return .acted(try await client.undo(sequence, command: command))
        case .status: return .status(try await client.status())
        case .list(let query): return .rows(try await client.list(query))
        case .compact(let request): return .compacted(try await client.compact(request))
        case .reconcile(let request): return .reconciled(try await client.reconcile(request))
        case .redact(let request): return .redacted(try await client.redact(request))
        case .limit(let change): return .limited(try await client.limit(change))
        case .digest: return .digest(try await client.digest())
        case .library(let request): return .library(try await client.library(request))
        }
    }

    /// Writes an answer, in how many parts it goes; not sent when the peer is gone, or takes nothing. Blocks.
    private func send(_ response: ControlResponse) -> (isSent: Bool, parts: Int) {
        var (parts, count) = (response.parts, 0)
        do {
            while let message = try parts.next(bytesMax: LocalConnection.messageBytesMax) {
                try connection.send(message)
                count += 1
            }
            return (true, count)
        } catch {
            connection.close()
            return (false, count)
        }
    }
}

/// A list, as far as it has come.
private struct GatheredList {
    private(set) var requests: [EnqueueRequest] = []
    /// How long its messages were.
    private var bytes = 0

    /// - Throws: a ``Problem`` when its messages are longer than `bytesMax` together.
    mutating func add(_ more: [EnqueueRequest], bytes: Int, bytesMax: Int) throws(Problem) {
        self.bytes += bytes
        guard self.bytes <= bytesMax else {
            throw Problem(
                .usage, "the list is too long to be enqueued at once",
                cause: "its messages are longer than \(bytesMax) bytes",
                next: "give it in parts; nothing of it was enqueued", exitCode: .usage)
        }
        requests += more
    }
}
