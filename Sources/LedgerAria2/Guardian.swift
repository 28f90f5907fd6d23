import LedgerAPI

/// Looks at the secrets of one request, each only once however many calls carry it: one guess is one guess.
actor Guardian {
    private let authorize: @Sendable (String?, String) async -> AccessScope?
    private let address: String
    private let admitted: @Sendable () -> Void
    private var known: [String?: AccessScope?] = [:]
    /// Whether a secret was wrong.
    private(set) var hasRefused = false

    /// A guardian of one request.
    /// - Parameter admitted: called when a secret lets a call through, before anything is done for it.
    init(
        _ configuration: Aria2Endpoint.Configuration, from address: String, admitted: @escaping @Sendable () -> Void
    ) {
        authorize = configuration.authorize
        self.address = address
        self.admitted = admitted
    }

    /// Lets a call through whose secret allows what it does.
    /// - Throws: `Unauthorized`.
    func admit(_ secret: String?, for scope: AccessScope) async throws(Fault) {
        let found: AccessScope?
        if let seen = known[secret] {
            found = seen
        } else {
            found = await authorize(secret, address)
            known[secret] = .some(found)
            if secret != nil, found != nil { admitted() }
        }
        guard let found else {
            hasRefused = true
            throw .unauthorized
        }
        // Whoever has a secret need not guess: no pause.
        guard found >= scope else { throw .unauthorized }
    }
}
