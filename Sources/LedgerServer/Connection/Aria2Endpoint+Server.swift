import LedgerAPI
import LedgerAria2
import LedgerHolder

extension Aria2Endpoint {
    /// aria2's endpoint over a ledger, under the rules of this server.
    init(_ backend: Backend, _ gate: Gate) {
        let (roots, server) = (backend.roots, backend.configuration)
        var configuration = Configuration(
            directory: roots.first,
            authorize: { secret, address in
                do throws(Refusal) { return try gate.scope(secret: secret, from: address) } catch { return nil }
            },
            confine: { directory, output throws(Problem) in
                try roots.place(directory: directory, output: output)
            },
            shutdown: server.shutdown)
        configuration.prepare = { [service = backend.service] request in
            server.prepare(&request)
            service.own.apply(to: &request)
        }
        configuration.reported = server.reported
        self.init(service: backend.service, client: backend.client, configuration: configuration)
    }
}

extension ServerConfiguration {
    /// Adds what holds for every request of a client: whether private networks may be reached, and that no link leads
    /// its file out of the roots.
    fileprivate func prepare(_ request: inout EnqueueRequest) {
        request.refusesPrivateAddresses = !allowsPrivateAddresses
        request.refusesLinks = true
    }

    /// What aria2's global options say of this server; a port that the system chooses is not known yet, and 0.
    fileprivate var reported: [String: String] {
        [
            "rpc-allow-origin-all": String(origins.contains("*")), "rpc-listen-all": String(!address.isLoopback),
            "rpc-listen-port": String(address.port), "rpc-max-request-size": String(bodyBytesMax),
            "rpc-secure": String(certificate != nil),
        ]
    }
}
