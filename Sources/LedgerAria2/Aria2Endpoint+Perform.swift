import LedgerAPI
import LedgerCoding
import LedgerHolder
import LedgerModel

extension Aria2Endpoint {
    /// Does what a method says, where there is room for its answer; which is written, and counted.
    func perform(
        _ name: String, _ values: [JSONValue], _ guardian: Guardian, _ room: AnswerRoom
    ) async throws(Fault) -> WireValue {
        try room.require()
        return try await value(of: name, values, guardian, room).written(in: room)
    }

    private func value(
        of name: String, _ values: [JSONValue], _ guardian: Guardian, _ room: AnswerRoom
    ) async throws(Fault) -> WireValue {
        let parameters = Parameters(values)
        guard let method = Method(rawValue: name) else {
            // Which methods there are is not for everyone.
            try await guardian.admit(parameters.secret, for: .read)
            throw .noMethod(name)
        }
        if let scope = method.scope { try await guardian.admit(parameters.secret, for: scope) }
        switch method {
        case .multicall: return try await multicall(parameters, guardian, room)
        case .listMethods: return .list(Method.allCases.map { .text($0.rawValue) })
        case .listNotifications: return .list(Notification.allCases.map { .text($0.rawValue) })
        case .addURI, .addTorrent, .addMetalink: return try await add(method, parameters)
        case .remove, .forceRemove, .pause, .forcePause, .unpause, .pauseAll, .forcePauseAll, .unpauseAll,
            .changePosition, .removeDownloadResult, .purgeDownloadResult:
            return try await control(method, parameters)
        case .tellStatus, .getURIs, .getFiles, .getServers, .getPeers, .tellActive, .tellWaiting, .tellStopped:
            return try await tell(method, parameters, room)
        case .getOption, .changeOption, .changeURI, .getGlobalOption, .changeGlobalOption:
            return try await settle(method, parameters)
        case .getVersion, .getSessionInfo, .getGlobalStat, .saveSession, .shutdown, .forceShutdown:
            return try await manage(method)
        }
    }

    /// Calls in a list, each with its own token; each answer is a list of one, or an error.
    private func multicall(
        _ parameters: Parameters, _ guardian: Guardian, _ room: AnswerRoom
    ) async throws(Fault) -> WireValue {
        let calls = try parameters.list(0)
        try room.enter(calls: calls.count)
        var bytes = Array("[".utf8)
        for call in calls {
            if bytes.count > 1 { bytes.append(UInt8(ascii: ",")) }
            do throws(Fault) {
                WireValue.list([try await nested(call, guardian, room)]).write(to: &bytes)
            } catch { error.value.write(to: &bytes) }
        }
        bytes.append(UInt8(ascii: "]"))
        return .written(bytes)
    }

    private func nested(
        _ value: JSONValue, _ guardian: Guardian, _ room: AnswerRoom
    ) async throws(Fault) -> WireValue {
        guard case .object(let object) = value else { throw Fault("system.multicall expected struct.") }
        switch object["methodName"] {
        case .string(Method.multicall.rawValue)?: throw Fault("Recursive system.multicall forbidden.")
        case .string(let name)?:
            let parameters = if case .array(let values)? = object["params"] { values } else { [JSONValue]() }
            return try await perform(name, parameters, guardian, room)
        default: throw Fault("Missing methodName.")
        }
    }
}

extension Aria2Endpoint {
    /// Runs what the ledger may refuse; what it says becomes the fault.
    func asked<Value: Sendable>(
        _ body: @Sendable () async throws(Problem) -> Value
    ) async throws(Fault) -> Value {
        do throws(Problem) { return try await body() } catch { throw Fault(error) }
    }

    /// Looks at the state of the ledger.
    func look<Value: Sendable>(_ body: @Sendable (LedgerState) -> Value) async throws(Fault) -> Value {
        do throws(Problem) { return try await service.read(body) } catch { throw Fault(error) }
    }
}
