import HTTPTypes
import Hummingbird
import LedgerAPI
import LedgerCoding
import LedgerHolder
import LedgerModel

/// Whether the program lives, and whether it can take commands.
struct Health: Sendable {
    let backend: Backend

    /// The routes: a supervisor asks without a token, and learns nothing else.
    var routes: [Route] {
        [
            Route(.get, "/healthz", nil) { _ in .text("ok\n") }, Route(.get, "/readyz", nil, ready),
        ]
    }

    /// Ready is who can read the state: a ledger whose disk failed can not.
    private func ready(_ call: Call) async throws -> Response {
        do throws(Problem) { _ = try await backend.service.read { $0.sequence } } catch {
            return .text("not ready\n", .serviceUnavailable)
        }
        return .text("ready\n")
    }
}
