import ArgumentParser

/// How to get to the origin, and who we are to it.
struct RouteOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "A proxy: http, https, socks5 or socks5h://[name:password@]host:port (default: as http_proxy, https_proxy "
                + "and all_proxy say).", valueName: "url"))
    var proxy: String?

    @Option(
        help: ArgumentHelp(
            "Hosts that are reached without the proxy (default: as NO_PROXY says): names, which cover what is below "
                + "them, addresses, networks such as 10.0.0.0/8, or '*'.", valueName: "list"))
    var noProxy: String?

    @Option(
        help: ArgumentHelp("Take passwords from this file (default: ~/.netrc).", valueName: "file"),
        completion: .file())
    var netrc: String?

    @Flag(help: "Do not look into ~/.netrc.")
    var noNetrc = false

    @Option(
        help: ArgumentHelp(
            "A token for the origin; '@FILE' takes it from a file, '@-' from standard input.",
            valueName: "token"))
    var bearer: String?

    @Option(
        help: ArgumentHelp("Send the cookies of this file (Netscape's format) where they belong.", valueName: "file"),
        completion: .file())
    var cookies: String?

    @Option(
        help: ArgumentHelp("Show the origin this certificate of ours (PEM).", valueName: "file"), completion: .file())
    var cert: String?

    @Option(
        help: ArgumentHelp("Its private key (PEM); without it the key stands in the same file.", valueName: "file"),
        completion: .file())
    var key: String?

    @Option(
        help: ArgumentHelp("Trust the authorities of this PEM file instead of the system's.", valueName: "file"),
        completion: .file())
    var cacert: String?

    @Flag(help: "Do not check certificates, the origin's or a proxy's; every line about the download says so.")
    var insecure = false

    @Flag(help: "Take HTTP/2 where the origin offers it; else only where it takes nothing else.")
    var http2 = false

    @Option(help: ArgumentHelp("What to send as User-Agent.", valueName: "text"))
    var userAgent: String?

    @Flag(help: "Send headers and credentials to other origins too: where redirects lead, and to mirrors of yours.")
    var forwardHeaders = false

    @Flag(help: "Follow redirects from https to http.")
    var allowDowngrade = false

    @Flag(help: "Resume on trust what an origin serves without a validator.")
    var resumeUnvalidated = false

    func validate() throws {
        if netrc != nil && noNetrc { throw ValidationError("Give either '--netrc' or '--no-netrc'.") }
        if key != nil && cert == nil { throw ValidationError("'--key' needs the certificate it belongs to: '--cert'.") }
    }
}
