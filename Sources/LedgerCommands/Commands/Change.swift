import ArgumentParser
import LedgerAPI
import LedgerEngine
import LedgerModel
import LedgerSystem
import LedgerViews

/// `ledger change`.
struct Change: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Change the limits, the hours, the URL or the labels of downloads.",
        usage: "ledger change (<id> ... | --all | <filters>) <what to change> ...",
        discussion: """
            A rate and a number of retries hold at once, also for what runs; a silence and a number of ranges hold \
            from the next attempt on. Another URL of the same file carries on from what is there where only its query \
            is another and the entity proves to be the same, or where a digest will tell; else it begins anew. Headers \
            and credentials go along to the same origin only. What has failed may be changed too, before 'ledger \
            retry'. The group, the title, the details and the tags are changed also of what is there already; its file \
            stays where it is.

            EXAMPLE
              ledger change 12 --limit-rate 500K
              ledger change --group nightly --window 22:00-06:00 --priority -5
              ledger change 12 --url https://mirror.example.org/big.iso && ledger retry 12
            """)

    @OptionGroup var selection: SelectionOptions

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The highest rate of one download, such as 500K; 0 for no limit.", valueName: "rate"),
        transform: ByteSize.parse)
    var limitRate: ByteSize?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("How often an attempt that failed for a passing reason is made again.", valueName: "n"),
        transform: UInt32.within(0...UInt32.max))
    var retries: UInt32?

    @Option(
        parsing: .unconditional, help: ArgumentHelp("The longest silence allowed.", valueName: "time"),
        transform: Silence.parse)
    var timeout: Silence?

    @Option(
        name: .joined("s"), parsing: .unconditional,
        help: ArgumentHelp("Ranges of one file at once.", valueName: "n"),
        transform: UInt32.within(1...TransferOptions.rangesMax))
    var split: UInt32?

    @Option(
        parsing: .unconditional, help: ArgumentHelp("Another priority, last among its equals.", valueName: "n"),
        transform: Int32.within(Int32.min...Int32.max))
    var priority: Int32?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The hours of the day it may run in, such as 22:00-06:00, or always.", valueName: "window"),
        transform: DailyHours.parse)
    var window: DailyHours?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Not before this time: RFC 3339, or a length of time from now, such as 2h.", valueName: "time"),
        transform: Instant.parse)
    var notBefore: Instant?

    @Option(help: ArgumentHelp("Another URL of the same file; for one download.", valueName: "url"))
    var url: String?

    @Option(help: ArgumentHelp("Another group, of which it counts from now on; '' for none.", valueName: "name"))
    var toGroup: String?

    @Option(help: ArgumentHelp("Another title; '' for none.", valueName: "text"))
    var title: String?

    @Option(help: ArgumentHelp("Other words about it; '' for none.", valueName: "text"))
    var details: String?

    @Option(
        name: .customLong("tags"),
        help: ArgumentHelp(
            "Other words to find it by, separated by commas, instead of all that there were; '' for none.",
            valueName: "word,..."))
    var tags: String?

    @OptionGroup var global: GlobalOptions

    func validate() throws {
        guard !request(now: .epoch).isEmpty else {
            throw ValidationError("Say what to change, for example '--limit-rate 500K'.")
        }
        if url != nil, selection.ids.count != 1 {
            throw ValidationError("'--url' is for one download: give its id.")
        }
    }

    func run() async throws {
        let session = try await LedgerSession(global)
        let request = request(now: session.context.world.clock.now())
        try await session.act(.change(request), on: selection.selection)
    }

    private func request(now: Timestamp) -> ChangeRequest {
        var request = ChangeRequest()
        request.url = url
        request.bytesPerSecondMax = limitRate?.bytes
        request.retriesMax = retries
        request.silenceMillisecondsMax = timeout?.milliseconds
        request.rangesMax = split
        request.priority = priority
        request.window = window.map { $0.window?.description ?? ChangeRequest.always }
        request.notBefore = notBefore?.resolved(now: now)
        (request.group, request.title, request.details) = (toGroup, title, details)
        request.tags = tags?.split(separator: ",").map { $0.trimmingSpace() }
        return request
    }
}
