import ArgumentParser
import LedgerAPI

/// `ledger get`: enqueue, download, wait.
struct Get: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Download now, and wait for it.",
        usage: """
            ledger get <url> ... [<options>]
            ledger get -i <file> [<options>]
            ledger get --metalink <file> [<options>]
            """,
        discussion: """
            Can be ended at any instant: the same command again, or 'ledger run', carries on from the last durable \
            byte. Ctrl-C once records what was received and leaves with exit code 1; twice leaves at once. When \
            another command holds the ledger, it does the work and this one watches; when that leaves, this one takes \
            over, until a 'ledger run' comes. What is in the queue already is downloaded too, each download in its \
            turn. Exit code 0 means that every file asked for is there.

            EXAMPLE
              ledger get https://example.org/big.iso -d ~/Downloads
              ledger get -i list.txt --jobs 8 --json
              ledger get https://example.org/release.meta4
              ledger get https://example.org/a.iso --checksum sha-256=$(cut -d' ' -f1 a.iso.sha256)
            """)

    @Argument(help: ArgumentHelp("What to download.", valueName: "url"))
    var urls: [String] = []

    @OptionGroup var options: DownloadOptions
    @OptionGroup(title: "How much at once") var pool: PoolOptions
    @OptionGroup var global: GlobalOptions

    func validate() throws { try requireSomething(urls, options) }

    func run() async throws {
        let session = try await LedgerSession(global)
        let requests = try await session.requests(urls: urls, options: options)
        guard !requests.isEmpty else { return }
        let fetch = Fetch(
            session: session, requests: requests,
            configuration: session.configuration(pool, under: try session.settings),
            asksForPool: pool.isAsked)
        guard try await fetch.run() else { throw Exit(code: .failed) }
    }
}
