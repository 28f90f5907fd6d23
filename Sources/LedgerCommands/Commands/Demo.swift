import ArgumentParser
import LedgerAPI

/// `ledger demo`: the point of the program in twenty seconds.
struct Demo: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "See a download killed and carried on, in twenty seconds and without a network.",
        discussion: """
            Starts an origin on loopback, downloads a dozen files from it with a process of its own, kills that with \
            SIGKILL midway, starts it again, compares every file with its source byte for byte, and shows the log. \
            Uses a temporary directory, and removes it. With '--json' each command prints what it prints with it, and \
            a line {"summary": ...} ends it.

            EXAMPLE
              ledger demo
            """)

    @OptionGroup var global: GlobalOptions

    func run() async throws {
        var context = CommandContext.now
        context.console = global.console(in: context)
        let place = try DemoPlace(context)
        let origin = try await DemoOrigin(files: DemoFile.dozen)
        let show = DemoShow(context: context, place: place, origin: origin, global: global)
        let isFine: Bool
        do {
            isFine = try await show.run()
        } catch {
            try await show.cleanUp()
            throw error
        }
        try await show.cleanUp()
        if !isFine { throw Exit(code: .failed) }
    }
}
