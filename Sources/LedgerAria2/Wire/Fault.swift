import LedgerAPI

/// Why a call is answered with an error, in aria2's words: its clients look at them.
struct Fault: Error, Hashable, Sendable {
    /// 1 for what a method refuses, else JSON-RPC's own.
    let code: Int64
    let message: String
    /// HTTP's status, when the call stands alone.
    let status: Int

    private init(code: Int64, _ message: String, status: Int) {
        self.code = code
        self.message = message
        self.status = status
    }

    /// What a method refuses.
    init(_ message: String) { self.init(code: 1, message, status: 400) }

    /// What the ledger refuses, in its own words: aria2 has none for it.
    init(_ problem: Problem) { self.init(problem.message) }

    static let unauthorized = Fault("Unauthorized")
    static let invalidRequest = Fault(code: -32600, "Invalid Request.", status: 400)
    static let parseError = Fault(code: -32700, "Parse error.", status: 500)
    static let invalidParameters = Fault(code: -32602, "Invalid params.", status: 500)
    static let noSource = Fault("No URI to download.")
    static let badPosition = Fault("Position must be greater than or equal to 0.")

    /// The server stops.
    static let stopping = Fault("The server stops before this is answered.")

    static func tooManyCalls(max: Int) -> Fault {
        Fault("More than \(max) calls in one request: none of these is done, send them in parts.")
    }

    static func tooLong(bytesMax: Int) -> Fault {
        Fault(
            "The answer would be longer than \(bytesMax) bytes: this call and those after it are left out, ask for "
                + "fewer downloads, keys or calls at a time.")
    }

    static func option(_ name: String) -> Fault {
        Fault("We encountered a problem while processing the option '--\(name)'.")
    }

    /// What is not done here: nothing is promised that does not come.
    static func undone(_ name: String, only value: String) -> Fault {
        Fault("\(option(name).message) It is not done here: '\(value)' is all that it takes.")
    }

    static func noMethod(_ name: String) -> Fault { Fault("No such method: \(name)") }

    static func missing(_ index: Int) -> Fault { Fault("The parameter at \(index) is required but missing.") }

    static func wrongType(_ index: Int) -> Fault { Fault("The parameter at \(index) has wrong type.") }

    static func tooSmall(_ index: Int, min: Int64) -> Fault {
        Fault(
            "The integer parameter at \(index) has invalid value: the value must be greater than or equal to \(min).")
    }

    /// What is the case of a download, named by its GID in full.
    static func about(_ gid: GID, _ words: (String) -> String) -> Fault { Fault(words("GID#\(gid)")) }
}
