import LedgerAPI
import LedgerEngine
import LedgerHolder
import LedgerServer
import LedgerSystem
import SystemPackage

extension LedgerSession {
    /// How the API is served, by flags over what is configured; nil for no API. All that keeps it from being served
    /// and can be seen without the ledger is seen here, before another process leaves that for this one.
    /// - Throws: a ``Problem`` when the certificate, the tokens, or a root can not be used, or when others could reach
    ///   the address and there is no token.
    func server(_ options: ServerOptions) throws(Problem) -> ServerPlan? {
        guard !options.noAPI else {
            if !options.idle.isEmpty {
                console.note("'--no-api' serves nobody whom \(options.idle.joined(separator: ", ")) would be for")
            }
            return nil
        }
        let settings = try self.settings
        if options.dir == nil, let directory = settings.directory { try requireRoot(context.path(directory)) }
        let roots = [context.path(options.dir ?? settings.directory ?? ".")] + options.allowDir.map(context.path)
        for root in roots where !root.isAbsolute { throw .nowhere(root.string, flag: "-d") }
        var configuration = ServerConfiguration(roots: roots, logger: ConsoleLogHandler.logger(for: console))
        if let listen = options.listen { configuration.address = listen }
        configuration.hosts = options.allowHost
        configuration.origins = options.allowOrigin
        configuration.allowsPrivateAddresses = options.allowPrivate
        configuration.version = Version.current
        if let certificate = options.tlsCert, let key = options.tlsKey {
            configuration.certificate = try ServerCertificate(
                chainFile: context.path(certificate).string, keyFile: context.path(key).string)
        }
        _ = try ServerGround(configuration, home, context.world.fileSystem)
        return ServerPlan(configuration: configuration, isAsked: options.listen != nil)
    }

    /// Says of a configured directory that can not be used where it stands: nobody has typed it just now.
    private func requireRoot(_ directory: FilePath) throws(Problem) {
        do throws(Problem) { _ = try DestinationRoots([directory], fileSystem: context.world.fileSystem) } catch {
            var problem = error
            problem.next =
                "check the path and who may write there: it is 'dir' in '\(home.configuration)', or LEDGER_DIR; "
                + "'-d' goes over both"
            throw problem
        }
    }
}

/// The API that is to be served.
struct ServerPlan: Sendable {
    /// How.
    var configuration: ServerConfiguration
    /// Whether its address was given: then it is an error when it can not be listened on.
    let isAsked: Bool

    /// Descriptors that clients leave to the log, files, origins and the socket, where there are twice as many.
    private static let descriptorsBeside = 512

    /// Looks whether the address that was given can be listened on once a process has left that holds the ledger.
    /// - Throws: a ``Problem`` when a third one has it, or when it is none of this machine.
    func requireAddress(besides holder: HolderStatus) async throws(Problem) {
        guard isAsked else { return }
        let held = holder.addresses.map { $0.compactMap { ListenAddress(parsing: $0) } }
        try await configuration.address.requireFree(besides: held)
    }

    /// Serves a ledger; nil, with a warning, when the usual address is taken and none was given: what is to be
    /// downloaded is more important.
    func start(_ service: LedgerService, _ console: Console) async throws(Problem) -> LedgerServer? {
        var configuration = configuration
        // One for each client. Where it fails, the limit stays what it is.
        do throws(FileError) { try CurrentProcess.raiseDescriptorsMax() } catch { console.detail("\(error)") }
        do throws(FileError) {
            let all = Int(clamping: try CurrentProcess.descriptorsMax())
            configuration.connectionsMax = min(
                configuration.connectionsMax, max(1, all - min(Self.descriptorsBeside, all / 2)))
        } catch { console.detail("\(error)") }
        do throws(Problem) {
            let server = try await LedgerServer.start(service, configuration)
            let scheme = configuration.certificate == nil ? "http" : "https"
            console.note("serving \(scheme)://\(server.address)/")
            return server
        } catch {
            guard !isAsked, error.code == .refused else { throw error }
            console.warn("\(error.message)" + (error.cause.map { " (\($0))" } ?? "") + ": no API is served")
            return nil
        }
    }
}
