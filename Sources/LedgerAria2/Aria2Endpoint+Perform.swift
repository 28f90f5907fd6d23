import LedgerAPI
import LedgerCoding
import LedgerHolder
import LedgerModel

extension Aria2Endpoint {
    /// Does what a method says.
    func perform(
        _ name: String, _ values: [JSONValue], _ guardian: Guardian
    ) async throws(Fault) -> WireValue {
        let parameters = Parameters(values)
        guard let method = Method(rawValue: name) else {
            // Which methods there are is not for everyone.
            try await guardian.admit(parameters.secret, for: .read)
            throw .noMethod(name)
        }
        if let scope = method.scope { try await guardian.admit(parameters.secret, for: scope) }
        switch method {
        case .multicall: return try await multicall(parameters, guardian)
        case .listMethods: return .list(Method.allCases.map { .text($0.rawValue) })
        case .listNotifications: return .list(Notification.allCases.map { .text($0.rawValue) })
        case .addURI, .addTorrent, .addMetalink: return try await add(method, parameters)
        case .remove, .forceRemove, .pause, .forcePause, .unpause, .pauseAll, .forcePauseAll, .unpauseAll,
            .changePosition, .removeDownloadResult, .purgeDownloadResult:
            return try await control(method, parameters)
        case .tellStatus, .getURIs, .getFiles, .getServers, .getPeers, .tellActive, .tellWaiting, .tellStopped:
            return try await tell(method, parameters)
        case .getOption, .changeOption, .changeURI, .getGlobalOption, .changeGlobalOption:
            return try await settle(method, parameters)
        case .getVersion, .getSessionInfo, .getGlobalStat, .saveSession, .shutdown, .forceShutdown:
            return try await manage(method)
        }
    }

    /// Calls in a list, each with its own token; each answer is a list of one, or an error.
    private func multicall(_ parameters: Parameters, _ guardian: Guardian) async throws(Fault) -> WireValue {
        var answers: [WireValue] = []
        for value in try parameters.list(0) {
            do throws(Fault) { answers.append(.list([try await nested(value, guardian)])) } catch {
                answers.append(error.value)
            }
        }
        return .list(answers)
    }

    private func nested(_ value: JSONValue, _ guardian: Guardian) async throws(Fault) -> WireValue {
        guard case .object(let object) = value else { throw Fault("system.multicall expected struct.") }
        switch object["methodName"] {
        case nil: throw Fault("Missing methodName.")
        case .string(Method.multicall.rawValue)?: throw Fault("Recursive system.multicall forbidden.")
        case .string(let name)?:
            let parameters = if case .array(let values)? = object["params"] { values } else { [JSONValue]() }
            return try await perform(name, parameters, guardian)
        default: throw Fault("system.multicall expected struct.")
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
