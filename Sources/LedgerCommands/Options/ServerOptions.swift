import ArgumentParser
import LedgerServer
import LedgerViews

/// How the API is served, in `run`.
struct ServerOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Where the API and the page listen (default: 127.0.0.1:6800; without a token only loopback is allowed).",
            valueName: "host:port"),
        transform: ListenAddress.parse)
    var listen: ListenAddress?

    @Flag(name: .customLong("no-api"), help: "Serve no API and no page.")
    var noAPI = false

    @Option(
        name: .joined("d"),
        help: ArgumentHelp(
            "The directory that files of API clients are confined to (default: the configured one, else the current).",
            valueName: "dir"), completion: .directory)
    var dir: String?

    @Option(
        parsing: .singleValue,
        help: ArgumentHelp("Another directory that they may name; may be repeated.", valueName: "dir"),
        completion: .directory)
    var allowDir: [String] = []

    @Flag(help: "Let API clients' downloads reach loopback and private addresses. (A proxy looks names up itself.)")
    var allowPrivate = false

    @Option(
        parsing: .singleValue,
        help: ArgumentHelp(
            "Let pages of this origin use the API, such as https://ariang.example.org; may be repeated.",
            valueName: "origin"))
    var allowOrigin: [String] = []

    @Option(
        parsing: .singleValue,
        help: ArgumentHelp(
            "A name by which the server is reached, besides addresses; may be repeated.", valueName: "name"))
    var allowHost: [String] = []

    @Option(
        help: ArgumentHelp("Encrypt with this certificate chain (PEM).", valueName: "file"), completion: .file())
    var tlsCert: String?

    @Option(help: ArgumentHelp("The certificate's private key (PEM).", valueName: "file"), completion: .file())
    var tlsKey: String?

    func validate() throws {
        try Paths.requireNamed([dir], "-d")
        try Paths.requireNamed(allowDir, "--allow-dir")
        if (tlsCert == nil) != (tlsKey == nil) {
            throw ValidationError("'--tls-cert' and '--tls-key' go together: give both.")
        }
        if noAPI, listen != nil { throw ValidationError("Give either '--listen' or '--no-api'.") }
    }

    /// The options that were given and say how an API is served that is not.
    var idle: [String] {
        guard noAPI else { return [] }
        return [
            ("-d", dir != nil), ("--allow-dir", !allowDir.isEmpty), ("--allow-private", allowPrivate),
            ("--allow-origin", !allowOrigin.isEmpty), ("--allow-host", !allowHost.isEmpty),
            ("--tls-cert", tlsCert != nil), ("--tls-key", tlsKey != nil),
        ].filter(\.1).map(\.0)
    }
}

extension ListenAddress: ArgumentValue {
    package static let expected = "an address such as 127.0.0.1:6800, [::1]:6800 or 6800"

    package init?(argument: String) { self.init(parsing: argument) }
}
