import LedgerAPI
import LedgerEngine
import LedgerModel
import LedgerSystem
import Synchronization
import SystemPackage

/// The ledger as another process holds it, behind its socket.
///
/// One request at a time: commands ask one thing after the other. The first asks who is there, and nothing else is sent
/// before that was answered: a command that was given up was never sent, and is never done behind anyone's back. What
/// was sent is waited for.
final class RemoteClient: LedgerClient {
    private let connection: LocalConnection
    private let world: World

    private init(_ connection: LocalConnection, world: World) {
        self.connection = connection
        self.world = world
    }

    /// Connects to whoever holds the ledger and asks who it is; nil when nobody serves its socket.
    static func connect(_ home: LedgerHome, world: World) async throws(Problem) -> RemoteClient? {
        let connection: LocalConnection
        do throws(FileError) {
            connection = try await world.blocking.run { () throws(FileError) in
                try LocalConnection.connect(to: home.socket)
            }
        } catch {
            if meansNobody(error.errno) { return nil }
            throw Problem(LedgerError.file(error))
        }
        let remote = RemoteClient(connection, world: world)
        try await remote.send(.status)
        return remote
    }

    /// Whether a failed `connect(2)` means that nobody serves us there: no socket, one that was left behind, one of
    /// another user, beside whom a ledger can still be read, or one at which too many wait already.
    static func meansNobody(_ errno: Errno) -> Bool {
        let nobody: [Errno] = [
            .noSuchFileOrDirectory, .notDirectory, .connectionRefused, .connectionReset, .brokenPipe,
            .permissionDenied, .notPermitted, .timedOut,
        ]
        return nobody.contains(errno)
    }

    /// How long one wait for an answer lasts before the next look at whether it is still wanted, in milliseconds.
    private static let sliceMilliseconds: Int32 = 30

    /// Waits for the answer to who is there; it may be waited for again.
    /// - Returns: false when none came for so long, or when it is not wanted any more.
    func greets(within time: Duration, isStopped: () -> Bool = { false }) async throws(Problem) -> Bool {
        guard try await hasAnswer(within: time, isStopped: isStopped) else { return false }
        guard case .status = try await response() else { throw .unexpected }
        return true
    }

    private func hasAnswer(within time: Duration, isStopped: () -> Bool) async throws(Problem) -> Bool {
        let (connection, deadline) = (connection, world.clock.uptime() + time)
        repeat {
            do throws(FileError) {
                let hasNews = try await world.blocking.run { () throws(FileError) in
                    try connection.hasNews(withinMilliseconds: Self.sliceMilliseconds)
                }
                if hasNews { return true }
            } catch { throw .holderLeft }
        } while world.clock.uptime() < deadline && !isStopped()
        return false
    }

    /// Hangs up.
    func close() { connection.close() }

    func status() async throws(Problem) -> HolderStatus {
        guard case .status(let status) = try await ask(.status) else { throw .unexpected }
        return status
    }

    func digest() async throws(Problem) -> StateDigest {
        guard case .digest(let digest) = try await ask(.digest) else { throw .unexpected }
        return digest
    }

    func enqueue(_ requests: [EnqueueRequest]) async throws(Problem) -> [EnqueueAnswer] {
        try await askForList(.enqueue(requests)) { if case .enqueued(let answers) = $0 { answers } else { nil } }
    }

    func act(_ action: Action, on selection: Selection, command: CommandID) async throws(Problem) -> [ActionAnswer] {
        try await askForList(.act(action, selection, command), Self.answers)
    }

    func undo(_ sequence: SequenceNumber?, command: CommandID) async throws(Problem) -> [ActionAnswer] {
        try await askForList(.undo(sequence, command), Self.answers)
    }

    func list(_ query: ListQuery) async throws(Problem) -> [DownloadRow] {
        try await askForList(.list(query), Self.rows)
    }

    /// The rows as they are now; nil when nothing comes for `time`: a look can be given up, and the connection with it,
    /// for the rest of the answer may still come.
    func list(_ query: ListQuery, within time: Duration) async throws(Problem) -> [DownloadRow]? {
        try await send(.list(query))
        return try await list(Self.rows, within: time)
    }

    func limit(_ change: LimitChange) async throws(Problem) -> LimitReport {
        guard case .limited(let report) = try await ask(.limit(change)) else { throw .unexpected }
        return report
    }

    func library(_ request: LibraryRequest) async throws(Problem) -> LibraryAnswer {
        if case .take = request {
            return .taken(
                try await askForList(.library(request)) {
                    if case .library(.taken(let answers)) = $0 { answers } else { nil }
                })
        }
        guard case .library(let answer) = try await ask(.library(request)) else { throw .unexpected }
        return answer
    }

    func leave() async throws(Problem) {
        do throws(Problem) {
            guard case .end = try await ask(.leave) else { throw .unexpected }
        } catch {
            // Gone before it could say so: that is what was asked for.
            guard error.code == .holderLeft else { throw error }
        }
    }

    func compact(_ request: CompactRequest) async throws(Problem) -> CompactReport {
        guard case .compacted(let report) = try await ask(.compact(request)) else { throw .unexpected }
        return report
    }

    func reconcile(_ request: ReconcileRequest) async throws(Problem) -> ReconcileReport {
        guard case .reconciled(let report) = try await ask(.reconcile(request)) else { throw .unexpected }
        return report
    }

    func redact(_ request: RedactRequest) async throws(Problem) -> RedactReport {
        guard case .redacted(let report) = try await ask(.redact(request)) else { throw .unexpected }
        return report
    }

    func watch(
        _ query: WatchQuery, _ receive: @escaping @Sendable ([DownloadRow]) async -> Bool
    ) async throws(Problem) {
        try await send(.watch(query))
        var begun: [DownloadRow] = []
        while true {
            switch try await response() {
            case .part(.rows(let rows)): begun += rows
            case .rows(let rows):
                guard await receive(begun + rows) else { return }
                begun = []
            case .end: return
            default: throw .unexpected
            }
        }
    }

    private func ask(_ body: ControlRequest.Body) async throws(Problem) -> ControlResponse {
        try await send(body)
        return try await response()
    }

    private func askForList<Element>(
        _ body: ControlRequest.Body, _ elements: (ControlResponse) -> [Element]?
    ) async throws(Problem) -> [Element] {
        try await send(body)
        guard let list = try await list(elements, within: nil) else { throw .unexpected }
        return list
    }

    /// An answer that is a list, in as many messages as it comes in; nil when one does not begin within `time`.
    private func list<Element>(
        _ elements: (ControlResponse) -> [Element]?, within time: Duration?
    ) async throws(Problem) -> [Element]? {
        var list: [Element] = []
        while true {
            if let time, try await !hasAnswer(within: time, isStopped: { false }) { return nil }
            let response = try await response()
            let part: ControlResponse? = if case .part(let part) = response { part } else { nil }
            guard let more = elements(part ?? response) else { throw .unexpected }
            list += more
            if part == nil { return list }
        }
    }

    private static func answers(_ response: ControlResponse) -> [ActionAnswer]? {
        if case .acted(let answers) = response { answers } else { nil }
    }

    private static func rows(_ response: ControlResponse) -> [DownloadRow]? {
        if case .rows(let rows) = response { rows } else { nil }
    }

    private func send(_ body: ControlRequest.Body) async throws(Problem) {
        let connection = connection
        var parts = ControlRequest(body).parts
        while let message = try parts.next(bytesMax: LocalConnection.messageBytesMax) {
            do throws(FileError) {
                try await world.blocking.run { () throws(FileError) in try connection.send(message) }
            } catch { throw .holderLeft }
            if parts.isOver { return }
            guard case .gathered = try await response() else { throw .unexpected }
        }
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
