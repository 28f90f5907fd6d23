/// What is answered otherwise than aria2 did, and why: as little as can be.
struct GoldenException: Sendable {
    let reason: String
    let instead: Instead

    /// What is expected instead.
    enum Instead: Sendable {
        /// aria2's answer with these texts in the place of others.
        case changes([(String, String)])
        case answer(status: Int, body: String)
        /// Nothing of the endpoint's: who else is asked.
        case elsewhere
    }

    init(_ reason: String, _ instead: Instead) { (self.reason, self.instead) = (reason, instead) }

    /// By the name of the exchange.
    static let all: [String: GoldenException] = [:]
}
