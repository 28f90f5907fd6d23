import LedgerAPI
import LedgerEngine
import LedgerHolder
import LedgerModel
import LedgerSystem
import LedgerViews
import SystemPackage

/// One command's dealings with one ledger: held here when its lock is free, else asked of its holder.
struct LedgerSession: Sendable {
    /// What the command finds around it.
    var context: CommandContext
    /// Where its words go, as loud as its flags say.
    var console: Console
    /// Where the ledger lives.
    let home: LedgerHome
    /// What is configured, or what is wrong with it: who needs no setting is not kept from anything by a bad one.
    private let configured: Result<Settings, Problem>
    /// Whether rows are printed as JSON.
    let isJSON: Bool

    /// How long between two looks at it.
    static let pause = Duration.milliseconds(30)
    /// How many holders may be lost that had worked for a command for long; one more, and it ends as it would have with
    /// the first: what it asks for may be what they die of.
    static let holdersLostMax = 3

    /// What is configured.
    var settings: Settings {
        get throws(Problem) { try configured.get() }
    }

    /// A session as the flags say.
    /// - Throws: a ``Problem`` of the archive that is named.
    init(_ global: GlobalOptions, _ archive: ArchiveOptions? = nil) async throws(Problem) {
        context = CommandContext.now
        console = global.console(in: context)
        home = LedgerHome(FilePath(global.homePath(in: context)), archive: try archive?.path(in: context))
        isJSON = global.json
        try Self.requireDirectory(home, in: context)
        do throws(Problem) {
            configured = .success(try await Self.settings(of: home, in: context))
        } catch { configured = .failure(error) }
    }

    /// A session that reads no configuration, for looks that must not fail over it.
    init(_ context: CommandContext, _ console: Console, _ home: LedgerHome) {
        self.context = context
        self.console = console
        self.home = home
        configured = .success(Settings())
        isJSON = false
    }

    /// A file where the home should be, or above it, is no disk that fails.
    private static func requireDirectory(_ home: LedgerHome, in context: CommandContext) throws(Problem) {
        let isOther: Bool
        do throws(FileError) {
            isOther = try context.kind(of: home.path).map { $0 != .directory } ?? false
        } catch {
            // What else is wrong with it is told by whoever needs it.
            isOther = error.errno == .notDirectory
        }
        guard isOther else { return }
        throw Problem(
            .noLedger, "there is no ledger at '\(home.path)'", cause: "that, or what it is in, is no directory",
            next: "give another place with '--home', or move away what stands there", exitCode: .noLedger)
    }

    /// What is configured now.
    /// - Throws: a ``Problem`` that names the setting and where it stands.
    static func settings(of home: LedgerHome, in context: CommandContext) async throws(Problem) -> Settings {
        let hasFile: Bool
        do throws(FileError) {
            let file = try context.world.fileSystem.regularFile(
                at: home.configuration, bytesMax: Settings.fileBytesMax)
            hasFile = file.map { !Settings.isBlank($0.bytes) } ?? false
        } catch { throw Problem(LedgerError.file(error)) }
        return try await Settings(
            environment: context.environment, file: home.configuration, hasFile: hasFile)
    }

    /// Runs `body` with whoever holds the ledger, once more on the next holder when that one leaves in the middle.
    ///
    /// `body` may run more than once, so what it asks for carries a name that stays.
    /// - Parameters:
    ///   - creating: whether a home without a ledger gets one; else it is the error `no-ledger`.
    ///   - maintenanceProgress: counts the bytes that maintenance reads, when it is this process that does it.
    func withClient<Answer: Sendable>(
        creating: Bool = false, maintenanceProgress: WorkProgress? = nil,
        _ body: (any LedgerClient) async throws(Problem) -> Answer
    ) async throws(Problem) -> Answer {
        if !creating { try await requireLedger() }
        let clock = context.world.clock
        var deadline = clock.uptime() + context.patience
        var holdersLost = 0
        var configuration = ServiceConfiguration()
        configuration.maintenanceProgress = maintenanceProgress
        while true {
            let access = try await accessible(configuration)
            let asked = clock.uptime()
            do throws(Problem) {
                let answer = try await body(access.client)
                await access.close()
                return answer
            } catch {
                await access.close()
                guard error.code == .holderLeft else { throw error }
                // One that worked for us has left. One that hangs up again and again is there, and does not trust us.
                if clock.uptime() - asked > context.answerPatience, holdersLost < Self.holdersLostMax {
                    holdersLost += 1
                    deadline = clock.uptime() + context.patience
                }
                guard clock.uptime() < deadline else { throw .unreachable(home) }
                console.detail("the process that held the ledger has left; going on without it")
                try await wait()
            }
        }
    }

    /// The ledger under what is configured, or its holder, which has settings of its own.
    /// - Throws: what is wrong with the configuration, where nobody holds the ledger.
    private func accessible(_ configuration: ServiceConfiguration) async throws(Problem) -> Access {
        var configuration = configuration
        switch configured {
        case .success(let settings):
            (configuration.limits, configuration.trash) = (settings.limits, settings.trash)
            take(settings, &configuration)
            return try await open(configuration)
        case .failure(let problem):
            guard let remote = try await holder(onSilence: {}) else { throw problem }
            return .there(remote)
        }
    }

    /// - Throws: ``Problem/Code/noLedger`` when there is none.
    func requireLedger() async throws(Problem) {
        let (home, fileSystem) = (home, context.world.fileSystem)
        _ = try await blocking { () throws(LedgerError) in
            try EventReader(home: home, fileSystem: fileSystem, after: .zero)
        }
    }

    /// Takes the ledger, or joins its holder.
    /// - Parameter isHeir: whether this command waited for it, and others leave its lock alone.
    /// - Throws: ``Problem/Code/held`` when neither is possible for ``CommandContext/patience``, or until `isStopped`.
    func open(
        _ configuration: ServiceConfiguration, isHeir: Bool = false, isStopped: () -> Bool = { false }
    ) async throws(Problem) -> Access {
        var configuration = configuration
        configuration.programVersion = Version.current
        configuration.notice = { report($0) }
        let clock = context.world.clock
        let deadline = clock.uptime() + context.patience
        var leftUntil = clock.uptime() + context.answerPatience
        while true {
            if !isHeir, clock.uptime() < leftUntil, try await hasHeir() {
                // The heir takes a lock that is free at once, but one that was stopped keeps nobody off for ever.
                if try await isHeld() { leftUntil = clock.uptime() + context.answerPatience }
            } else if let service = try await take(configuration) {
                return .here(service)
            }
            if let remote = try await holder(until: deadline, isStopped) { return .there(remote) }
            guard clock.uptime() < deadline, !isStopped() else { throw .unreachable(home) }
            try await wait()
        }
    }

    /// The ledger; nil when another process holds it.
    private func take(_ configuration: ServiceConfiguration) async throws(Problem) -> LedgerService? {
        do throws(LedgerError) {
            let service = try await LedgerService.open(home, configuration, world: context.world)
            for note in service.ledger.recovery.notes { console.note(note) }
            warnOfForeignHome()
            return service
        } catch {
            let problem = Problem(error)
            guard problem.code == .held else { throw problem }
            return nil
        }
    }

    /// What root makes in the home of another, that one can not open: his next command would fail.
    private func warnOfForeignHome() {
        guard CurrentProcess.user == 0 else { return }
        let owner: UInt32
        do throws(FileError) { owner = try Ownership(of: home.path).user } catch {
            // It is open: whoever uses it is told of what is wrong with it.
            return
        }
        guard owner != 0 else { return }
        console.warn(
            "the ledger at '\(home.path)' is of user \(owner), and this is root: what root writes there that user can "
                + "not change. Run it as that user (sudo -u '#\(owner)'), and give back what is root's: "
                + "chown -R \(owner) '\(home.path)'")
    }

    /// The downloads that are asked for: from the holder if there is one that answers, else from the log.
    func rows(_ query: ListQuery) async throws(Problem) -> [DownloadRow] {
        let sayItIsSilent = {
            console.note("the process that holds the ledger does not answer; this is what its log says")
        }
        if query.at == nil, let remote = try await holder(onSilence: sayItIsSilent) {
            defer { remote.close() }
            let answer = try await ifItStays { () throws(Problem) in
                let rows = try await remote.list(query, within: context.patience)
                if rows == nil { sayItIsSilent() }
                return rows
            }
            if let answer { return answer }
        }
        return try await recordedRows(query)
    }

    /// The downloads that are asked for, from the log, without its lock.
    func recordedRows(_ query: ListQuery) async throws(Problem) -> [DownloadRow] {
        rows(query, of: try await state(at: query.at))
    }

    /// The rows of a state that are asked for. Those of now wait for their hours, which no past did as far as is known.
    func rows(_ query: ListQuery, of state: LedgerState) -> [DownloadRow] {
        let clock = context.world.clock
        let (now, local, isNow) = (clock.now(), clock.local, query.at == nil)
        let shown = query.select(from: state.queue.downloads) { download in
            ShownDownload(download, opening: isNow ? download.opening(under: nil, at: now, local) : nil)
        }
        return shown.map { DownloadRow($0) }
    }

    /// The state at a point, folded from the log without its lock; nil means as it is now.
    func state(at point: LogPoint?) async throws(Problem) -> LedgerState {
        let reading = LedgerReading(home: home, world: context.world)
        return try await blocking { () throws(LedgerError) in try reading.state(at: point) }
    }

    /// The state as it is now; nil where there is no ledger yet.
    func stateIfAny() async throws(Problem) -> LedgerState? {
        do throws(Problem) { return try await state(at: nil) } catch {
            if error.code == .noLedger { return nil }
            throw error
        }
    }

    /// Makes calls that block where they may.
    func blocking<Answer: Sendable>(
        _ body: @escaping @Sendable () throws(LedgerError) -> Answer
    ) async throws(Problem) -> Answer {
        do throws(LedgerError) { return try await context.world.blocking.run(body) } catch { throw Problem(error) }
    }

    /// Waits a moment.
    func wait(_ time: Duration = LedgerSession.pause) async throws(Problem) {
        let clock = context.world.clock
        do { try await clock.sleep(until: clock.uptime() + time) } catch {
            throw Problem(.closed, "the command was interrupted")
        }
    }
}

extension Problem {
    /// The lock of a ledger is taken, and nobody answers on its socket.
    static func unreachable(_ home: LedgerHome) -> Problem {
        Problem(
            .held, "another process holds the ledger at '\(home.path)' and can not be reached",
            cause: "nobody answers on '\(home.socket)'",
            next:
                "'fuser \(home.path.appending("ledger.lock"))' names the process; end it, or let it go on (kill -CONT) "
                + "if it was stopped, and type the same again",
            exitCode: .heldElsewhere)
    }
}

/// The way to a ledger.
enum Access: Sendable {
    /// This process holds it.
    case here(LedgerService)
    /// Another process does.
    case there(RemoteClient)

    /// Whoever holds it.
    var client: any LedgerClient {
        switch self {
        case .here(let service): service
        case .there(let remote): remote
        }
    }

    /// Ends the work, or the wait for an answer.
    func stop() async {
        switch self {
        case .here(let service): await service.drain()
        case .there(let remote): remote.close()
        }
    }

    /// Gives it back, or hangs up.
    func close() async {
        switch self {
        case .here(let service): await service.close()
        case .there(let remote): remote.close()
        }
    }
}
