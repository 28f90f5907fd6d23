package import LedgerAPI
import LedgerModel
import NIOCore
import NIOPosix
import SystemPackage

extension ListenAddress {
    /// Listens for a moment, as a server would: what keeps one from this address is told before anybody leaves for it.
    /// - Parameter held: where the process serves that is to leave; nil when it does not say. What it has now, it will
    ///   leave.
    /// - Throws: a ``Problem``: another program has the address, or it is none that this process may listen on.
    package func requireFree(besides held: [ListenAddress]?) async throws(Problem) {
        do {
            let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
                .bind(host: host, port: port).get()
            try await channel.close()
        } catch {
            let isTaken = (error as? IOError).map { Errno(rawValue: $0.errnoCode) } == .addressInUse
            if isTaken, held?.contains(where: { $0.meets(self) }) ?? true { return }
            throw .notListening(on: self, error)
        }
    }

    /// Whether a server at one of two addresses may keep another one from the other. Two names, or a name and an
    /// address, may be of the same place, and that of all addresses is.
    func meets(_ other: ListenAddress) -> Bool {
        let places = [host, other.host].compactMap { IPAddress(parsing: $0) }
        let isOfAll = places.contains { $0.bytes.allSatisfy { $0 == 0 } }
        let areApart = places.count == 2 && places[0] != places[1] && !isOfAll
        return port == other.port && !areApart
    }
}

extension Problem {
    /// An address that a server can not have.
    static func notListening(on address: ListenAddress, _ error: any Error) -> Problem {
        let cause =
            switch error {
            case let error as IOError: "\(Errno(rawValue: error.errnoCode))"
            case is SocketAddressError.UnknownHost, is SocketAddressError: "the name '\(address.host)' is not known"
            default: "\(error)"
            }
        return Problem(
            .refused, "'\(address)' can not be listened on", cause: cause,
            next: "another program may have it; choose another with '--listen', or give '--no-api'")
    }
}
