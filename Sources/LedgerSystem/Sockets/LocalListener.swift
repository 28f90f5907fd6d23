import CLedgerSystem
package import SystemPackage

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Waits at a Unix-domain socket for others of the same user, and gives each a thread.
package final class LocalListener: Sendable {
    private struct State: Sendable {
        var connections: [ObjectIdentifier: LocalConnection] = [:]
        var isStopping = false
    }

    /// How many connections are served at once; one more waits in the backlog until another ends.
    package static let connectionsMax = 256
    /// How many may wait in the backlog; beyond it `connect(2)` blocks.
    private static let backlogMax: CInt = 128

    /// The socket's path.
    package let path: FilePath
    private let descriptor: Descriptor
    private let silenceMillisecondsMax: Int64
    private let monitor = Monitor(State())

    /// Binds a socket of mode 0600 and listens. `bind(2)`, `listen(2)`.
    ///
    /// Whoever calls this holds the ledger's lock, and so knows that a socket that stands there is stale: it unlinks it
    /// first.
    /// - Parameter silenceMillisecondsMax: how long a message of its connections may stand still.
    /// - Throws: `EADDRINUSE` when something stands at the path.
    package init(
        at path: FilePath, silenceMillisecondsMax: Int64 = LocalConnection.silenceMillisecondsMax
    ) throws(FileError) {
        self.path = path
        self.silenceMillisecondsMax = silenceMillisecondsMax
        let number = try systemCall("socket", path) { ledger_local_socket() }
        descriptor = Descriptor(number)
        // On Linux the socket file takes its mode from the descriptor; chmod does the same elsewhere, before listening,
        // and until then nobody can connect.
        try systemCall("fchmod", path) { fchmod(number, 0o600) }
        try withSocketPath(path) { short throws(FileError) in
            try systemCall("bind", path) {
                unsafe short.withPlatformString { unsafe ledger_local_bind(number, $0) }
            }
            _ = try systemCall("chmod", path) { unsafe short.withPlatformString { unsafe chmod($0, 0o600) } }
        }
        try systemCall("listen", path) { listen(number, Self.backlogMax) }
    }

    deinit { stop() }

    /// Starts to accept. Each connection is given to `handler` on a thread of its own and closed when that returns;
    /// one of another user is closed at once.
    package func start(_ handler: @escaping @Sendable (LocalConnection) -> Void) throws(FileError) {
        let (descriptor, monitor, path, silence) = (descriptor, monitor, path, silenceMillisecondsMax)
        try SystemThread.start("ledger-listener") {
            while let connection = Self.accept(descriptor, monitor, path, silence) {
                Self.serve(connection, monitor, handler)
            }
        }
    }

    /// Stops accepting and closes every connection; handlers see their end. The socket's name stays, for the caller to
    /// unlink.
    package func stop() {
        let open = monitor.change(wakingAll: true) { state in
            state.isStopping = true
            return Array(state.connections.values)
        }
        descriptor.shutDown()
        for connection in open { connection.close() }
    }

    /// How many connections are being served.
    package var connectionCount: Int { monitor.withLock { $0.connections.count } }
}

extension LocalListener {
    /// How long to wait when the process has no descriptor or memory left for one more connection.
    private static let scarcityMilliseconds: CInt = 100

    /// The next connection of a user we trust; nil once stopped.
    private static func accept(
        _ descriptor: Descriptor, _ monitor: Monitor<State>, _ path: FilePath, _ silence: Int64
    ) -> LocalConnection? {
        while monitor.wait(for: hasRoomOrStops) {
            do throws(FileError) {
                let number = try descriptor.use("accept", path) { number throws(FileError) in
                    try systemCall("accept", path) { ledger_local_accept(number) }
                }
                let connection = try LocalConnection(path: path, descriptor: number, silenceMillisecondsMax: silence)
                if try connection.peerIsTrusted() { return connection }
                connection.close()
            } catch {
                // A client that left again, or too few descriptors for now; once stopped, the loop ends above.
                if error.errno != .connectionAbort { _ = poll(nil, 0, scarcityMilliseconds) }
            }
        }
        return nil
    }

    /// True when one more fits, false when it is time to stop, nil to wait.
    private static func hasRoomOrStops(_ state: inout State) -> Bool? {
        if state.isStopping { return false }
        return state.connections.count < connectionsMax ? true : nil
    }

    private static func serve(
        _ connection: LocalConnection, _ monitor: Monitor<State>,
        _ handler: @escaping @Sendable (LocalConnection) -> Void
    ) {
        let id = ObjectIdentifier(connection)
        let isStopping = monitor.withLock { state in
            state.connections[id] = connection
            return state.isStopping
        }
        if isStopping { connection.close() }
        do {
            try SystemThread.start("ledger-client") {
                handler(connection)
                finish(connection, monitor)
            }
        } catch {
            // No thread for it: the client sees the end and may try again.
            finish(connection, monitor)
        }
    }

    private static func finish(_ connection: LocalConnection, _ monitor: Monitor<State>) {
        connection.close()
        monitor.change(wakingAll: true) { $0.connections[ObjectIdentifier(connection)] = nil }
    }
}
