import LedgerSystem
import LedgerTestSupport

/// `fixture-server`: an origin that misbehaves, one path a misbehaviour. Everything is in LedgerTestSupport/Cases.
@main
struct FixtureServer {
    private static let usage = """
        usage: fixture-server [--port N] [--tls]    serve, on loopback only, until SIGTERM
               fixture-server --list [--json]       the cases: path, what the origin does, what is right
               fixture-server --certificate         the certificate of --tls, to be trusted by clients (PEM)

        /CASE/TOKEN/NAME asks for a case. TOKEN is any word: a fresh one is a fresh origin. /_seen/CASE/TOKEN tells
        which requests came, /_bytes/CASE/TOKEN gives the right bytes, with ?entity=1 those that came first.

        """

    private struct Options {
        var port = 0
        var isSecure = false
        var lists = false
        var isJSON = false
        var showsCertificate = false

        /// Nil for arguments that are wrong.
        init?(_ arguments: ArraySlice<String>) {
            var rest = arguments
            while let argument = rest.popFirst() {
                switch argument {
                case "--port":
                    guard let number = rest.popFirst().flatMap(Int.init), (0...65_535).contains(number) else {
                        return nil
                    }
                    port = number
                case "--tls": isSecure = true
                case "--list": lists = true
                case "--json": isJSON = true
                case "--certificate": showsCertificate = true
                default: return nil
                }
            }
            if isJSON, !lists { return nil }
        }
    }

    static func main() async throws {
        if CommandLine.arguments.contains("--help") { return try Output.standard.write(usage) }
        guard let options = Options(CommandLine.arguments.dropFirst()) else {
            try Output.error.write(usage)
            CurrentProcess.exit(64)
        }
        if options.showsCertificate { return try Output.standard.write(OriginCertificate.certificate + "\n") }
        if options.lists {
            let lines = Catalogue.cases.map { options.isJSON ? CaseLine($0).text : entry($0) }
            return try Output.standard.write(lines.joined(separator: "\n") + "\n")
        }
        let signals = try Signals.caught()
        let server = try await CaseServer.start(
            port: options.port, isSecure: options.isSecure, clock: SystemClock())
        try Output.standard.write("listening on \(server.places.main)\n")
        for await _ in signals { break }
        try await server.stop()
    }

    private static let width = Catalogue.cases.map(\.slug.count).max() ?? 0

    /// The case and what the origin does, below it what is right, and what the client is to do.
    private static func entry(_ theCase: OriginCase) -> String {
        let indent = String(repeating: " ", count: width)
        let slug = theCase.slug + String(repeating: " ", count: width - theCase.slug.count)
        var lines = ["\(slug)  \(theCase.what)", "\(indent)  -> \(theCase.result.rawValue): \(theCase.right)"]
        if let client = theCase.client { lines.append("\(indent)     client: \(client)") }
        return lines.joined(separator: "\n")
    }
}
