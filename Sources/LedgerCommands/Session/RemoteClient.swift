import LedgerAPI
import LedgerEngine
import LedgerModel
import LedgerSystem
import Synchronization
import SystemPackage

/// The ledger as another process holds it, behind its socket.
///
/// One request at a time: commands ask one thing after the other.
final class RemoteClient: LedgerClient {
    private let connection: LocalConnection
    private let world: World

    private init(_ connection: LocalConnection, world: World) {
        self.connection = connection
        self.world = world
    }

    /// Connects to whoever holds the ledger; nil when nobody serves its socket.
    static func connect(_ home: LedgerHome, world: World) async throws(Problem) -> RemoteClient? {
        do throws(FileError) {
            let connection = try await world.blocking.run { () throws(FileError) in
                try LocalConnection.connect(to: home.socket)
            }
            return RemoteClient(connection, world: world)
        } catch {
            if meansNobody(error.errno) { return nil }
            throw Problem(LedgerError.file(error))
        }
    }

    /// Whether a failed `connect(2)` means that nobody serves us there: no socket, one that was left behind, or one of
    /// another user, beside whom a ledger can still be read.
    static func meansNobody(_ errno: Errno) -> Bool {
        let nobody: [Errno] = [
            .noSuchFileOrDirectory, .notDirectory, .connectionRefused, .connectionReset, .brokenPipe,
            .permissionDenied, .notPermitted,
        ]
        return nobody.contains(errno)
    }

    /// Hangs up.
    func close() { connection.close() }

    func status() async throws(Problem) -> HolderStatus {
        guard case .status(let status) = try await ask(.status) else { throw .unexpected }
        return status
    }

    func enqueue(_ requests: [EnqueueRequest]) async throws(Problem) -> [EnqueueAnswer] {
        guard case .enqueued(let answers) = try await ask(.enqueue(requests)) else { throw .unexpected }
        return answers
    }

    func act(_ action: Action, on selection: Selection, command: CommandID) async throws(Problem) -> [ActionAnswer] {
        guard case .acted(let answers) = try await ask(.act(action, selection, command)) else { throw .unexpected }
        return answers
    }

    func undo(_ sequence: SequenceNumber?, command: CommandID) async throws(Problem) -> [ActionAnswer] {
        guard case .acted(let answers) = try await ask(.undo(sequence, command)) else { throw .unexpected }
        return answers
    }

    func list(_ query: ListQuery) async throws(Problem) -> [DownloadRow] {
        guard case .rows(let rows) = try await ask(.list(query)) else { throw .unexpected }
        return rows
    }

    func compact(_ request: CompactRequest) async throws(Problem) -> CompactReport {
        guard case .compacted(let report) = try await ask(.compact(request)) else { throw .unexpected }
        return report
    }

    func watch(
        _ query: WatchQuery, _ receive: @escaping @Sendable ([DownloadRow]) async -> Bool
    ) async throws(Problem) {
        try await send(.watch(query))
        while true {
            switch try await response() {
            case .rows(let rows): if !(await receive(rows)) { return }
            case .end: return
            case .status, .enqueued, .acted, .compacted, .failed: throw .unexpected
            }
        }
    }

    private func ask(_ body: ControlRequest.Body) async throws(Problem) -> ControlResponse {
        try await send(body)
        return try await response()
    }

    private func send(_ body: ControlRequest.Body) async throws(Problem) {
        let message = try ControlRequest(body).encoded()
        let connection = connection
        do throws(FileError) {
            try await world.blocking.run { () throws(FileError) in try connection.send(message) }
        } catch { throw .holderLeft }
    }

    private func response() async throws(Problem) -> ControlResponse {
        let connection = connection
        let message = await withTaskCancellationHandler {
            await world.blocking.run { Result { () throws(FileError) in try connection.receive() } }
        } onCancel: {
            connection.close()
        }
        guard case .success(let bytes?) = message else { throw .holderLeft }
        let response = try ControlResponse(decoding: bytes)
        if case .failed(let problem) = response { throw problem.code == .closed ? .holderLeft : problem }
        return response
    }
}

extension Problem {
    /// The connection ended before the answer.
    static var holderLeft: Problem {
        Problem(
            .holderLeft, "the process that held the ledger left before it answered", next: "type the same again",
            exitCode: .heldElsewhere)
    }

    /// An answer to another question.
    fileprivate static var unexpected: Problem {
        Problem(
            .versionMismatch, "the process that holds the ledger answered something else",
            next: "stop it, and start it again with this version", exitCode: .heldElsewhere)
    }
}
