import LedgerAPI
import LedgerEngine
import LedgerHolder
import LedgerModel

// What is not fetched here.
extension Aria2Endpoint {
    /// Notes that something was asked for which this program does not fetch.
    func addForeign(_ kind: ForeignResult.Kind, _ given: OptionValues) async throws(Fault) -> GID {
        var options = given.over(globalValues)
        options["gid"] = nil
        let (directory, shown) = (
            options["dir"] ?? configuration.directory, options.only(.shownOfOne, .added).withoutSecrets
        )
        let gid = try await under(given["gid"]) { chosen throws(Fault) in
            let gid = chosen ?? GID(max(1, service.ledger.world.random()))
            let result = ForeignResult(gid: gid, kind: kind, directory: directory, options: shown)
            try await asked { () throws(Problem) in try await stopped.look { list, _ in list.add(result) } }
            return gid
        }
        herald.tell(.error, gid)
        return gid
    }
}
