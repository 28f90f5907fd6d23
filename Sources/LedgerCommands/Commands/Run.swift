import ArgumentParser
import LedgerAPI
import LedgerEngine
import LedgerHolder
import LedgerModel
import LedgerServer
import LedgerSystem
import LedgerViews
import Logging
import SystemPackage

/// `ledger run`: hold the ledger and work the queue off.
struct Run: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Work the queue off; other commands may add to it and steer it meanwhile.",
        usage: "ledger run [<options>]",
        discussion: """
            First compares the log with the disk, then downloads; files whose time changed are read meanwhile. SIGINT \
            and SIGTERM record what was received and leave in under five seconds. SIGHUP reads 'config.yaml' and the \
            certificate anew and opens the file of '--log-file' anew. A 'ledger get' that holds the ledger gives it to \
            this one, and watches, when what it downloads can be carried on; for another 'ledger run' it waits, and \
            takes over: with '--take-over' it asks that one to leave. With '--until-idle' it leaves when nothing is \
            left to do and hooks are told, with exit code 1 when a download failed meanwhile.

            A hook's program is started as 'PROGRAM EVENT ID PATH' with JSON on its standard input, never through a \
            shell; a web address is posted the same JSON. Each event is told at least once and in order, also after a \
            crash; what fails is told again.

            The page for people is at http://127.0.0.1:6800/, the API below /v1 (/v1/openapi.json says what there is), \
            aria2's RPC at /jsonrpc and, in XML, at /rpc. Without a token ('ledger token') only this machine is \
            listened to.

            EXAMPLE
              ledger run -d /srv/mirror
              ledger run --jobs 8 --max-rate 10M
              ledger run --take-over --log-file /var/log/ledger.log
              ledger run --until-idle
              ledger run --checkpoints /mnt/elsewhere/checkpoints --every 6h
              ledger run --on complete,fail=/usr/local/bin/tell-me --on all=https://example.org/hook
            """)

    @Flag(help: "Leave when nothing is left to do.")
    var untilIdle = false

    @Flag(help: "Ask the 'ledger run' that holds the ledger to leave, and go on where it stopped.")
    var takeOver = false

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "The hours of the day in which any download may run, such as 22:00-06:00 (default: always).",
            valueName: "window"),
        transform: DailyHours.parse)
    var window: DailyHours?

    @Option(
        help: ArgumentHelp(
            "Write a checkpoint of the log into this directory at the start, now and then, and at the end.",
            valueName: "dir"),
        completion: .directory)
    var checkpoints: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("How often, with '--checkpoints' (default: 1h).", valueName: "time"),
        transform: Period.parse)
    var every: Period?

    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            """
            Tell a program or a web address of events: enqueue, complete, fail, retry, pause, resume, cancel, delete, \
            evict, undo, missing, altered or all; may be repeated.
            """, valueName: "event,...=program|url"))
    var on: [String] = []

    @OptionGroup(title: "The API") var server: ServerOptions
    @OptionGroup(title: "How much at once") var pool: PoolOptions
    @OptionGroup(title: "What is said") var logging: LogOptions
    @OptionGroup var global: GlobalOptions

    func validate() throws {
        try Paths.requireNamed([checkpoints], "--checkpoints")
        if every != nil, checkpoints == nil {
            throw ValidationError("'--every' says how often '--checkpoints' writes one: give a directory with that.")
        }
    }

    func run() async throws {
        let context = CommandContext.now
        let file = try logging.file(in: context, of: LedgerHome(FilePath(global.homePath(in: context))))
        let log = logging.log(file, global.console(in: context), in: context)
        do { try await work(log, file) } catch let problem as Problem {
            guard var log else { throw problem }
            log[metadataKey: "exit"] = "\(problem.exitCode.rawValue)"
            log.error("\(ErrorRendering.line(for: problem))")
            // Standard error is where a log without a file goes already.
            throw file == nil ? Exit(code: problem.exitCode) : problem
        }
    }

    private func work(_ log: Logger?, _ file: AppendedFile?) async throws {
        var session = try await LedgerSession(global)
        if let log { session.console.take(log) }
        let plan = try session.server(server)
        if let plan { session.context.world.metrics = plan.configuration.metrics }
        let hooks = try session.hooks(on)
        let tuning = Tuning(try session.settings) { [pool, window, session] settings in
            var configuration = session.configuration(pool, under: settings)
            if let window { configuration.limits.window = window.window }
            configuration.hooks = hooks
            return configuration
        }
        let schedule = checkpoints.map { name in
            CheckpointSchedule(
                directory: Paths.absolute(
                    name, from: session.context.directory, home: session.context.environment["HOME"]),
                period: every?.span.duration ?? CheckpointSchedule.periodDefault)
        }
        // All that can be found out without the ledger was by now: another process leaves it for one that can hold it.
        if let schedule {
            try session.home.requireForeign(FilePath(schedule.directory), session.context.world.fileSystem)
            try DirectoryCheck(fileSystem: session.context.world.fileSystem, flag: "--checkpoints")
                .prepare(schedule.directory)
        }
        let worker = WorkOff(
            session: session, tuning: tuning, untilIdle: untilIdle, takesOver: takeOver, checkpoints: schedule,
            server: plan, logFile: file)
        guard try await worker.run() else { throw Exit(code: .failed) }
    }
}
