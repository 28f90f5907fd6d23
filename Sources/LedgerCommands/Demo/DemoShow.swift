import LedgerAPI
import LedgerEngine
import LedgerModel
import LedgerSystem
import LedgerViews
import SystemPackage

/// What the demo does, step by step.
struct DemoShow: Sendable {
    /// Console, world and this program's path.
    let context: CommandContext
    /// The temporary directory.
    let place: DemoPlace
    /// Where the files come from.
    let origin: DemoOrigin

    /// The share of all bytes after which the worker is killed.
    static let killAfter = 0.45

    private var files: [DemoFile] { DemoFile.dozen }
    private var bytes: Int { files.reduce(0) { $0 + $1.length } }

    /// Runs the demo.
    /// - Returns: whether everything was as it should be.
    func run() async throws -> Bool {
        try place.write(list: files.map { "http://127.0.0.1:\(origin.port)/\($0.name)" })
        say("A dozen files, \(Figures.size(UInt64(bytes))) in all, from a slow origin on loopback.")
        step("ledger get -i list.txt")
        let first = try start(["get", "-i", place.list.string, "-d", place.files.string])
        await origin.hasSent(Int(Double(bytes) * Self.killAfter))
        first.send(.kill)
        let status = await first.wait()
        let before = origin.tally
        let known = try await rows()
        let completed = known.filter { $0.state == .completed }
        let held = known.reduce(0) { $0 + $1.received }
        say(
            "\nkill -9: the worker is dead (status \(status)). Its log says: \(completed.count) files are complete, and"
                + " \(Figures.size(held)) of \(Figures.size(UInt64(before.total))) sent are durable.\n")
        step("ledger get -i list.txt        (the same command again)")
        let second = try start(["get", "-i", place.list.string, "-d", place.files.string])
        guard await second.wait() == 0 else {
            say("The second run did not end well; this should not happen.")
            return false
        }
        let isWhole = try check()
        tell(twice: origin.tally.total - bytes, completed: completed, before: before)
        try await showLog(resumed: known.first { $0.state != .completed && $0.received > 0 })
        return isWhole
    }

    /// Stops the origin and removes the directory.
    func cleanUp() async throws {
        try await origin.stop()
        try place.remove()
    }

    private func check() throws(Problem) -> Bool {
        var wrong: [String] = []
        for file in files {
            let isEqual = try place.contents(of: file.name) == file.bytes(0..<file.length)
            if !isEqual { wrong.append(file.name) }
        }
        guard wrong.isEmpty else {
            say("\nThese files differ from their source: \(wrong.joined(separator: ", "))")
            return false
        }
        say("\nAll \(files.count) files equal their source, byte for byte.")
        return true
    }

    private func tell(twice: Int, completed: [DownloadRow], before: DemoOrigin.Tally) {
        let done = Set(completed.map(\.name))
        let after = origin.tally
        let again = files.filter { done.contains($0.name) && after.bytes[$0.number] != before.bytes[$0.number] }
        say(
            "Fetched twice: \(Figures.size(UInt64(max(0, twice)))) (what was not yet durable when it was killed)."
                + " Complete files fetched again: \(again.count).\n")
    }

    private func showLog(resumed: DownloadRow?) async throws {
        if let resumed {
            step("ledger replay --id \(resumed.id)        (one that was cut in the middle)")
            _ = try await start(["replay", "--id", resumed.id.description]).wait()
        }
        step("ledger verify")
        _ = try await start(["verify"]).wait()
        say("\nThat is the point: the log knows. Try it: ledger get URL")
    }

    private func rows() async throws(Problem) -> [DownloadRow] {
        let reading = LedgerReading(home: LedgerHome(place.home), world: context.world)
        do throws(LedgerError) {
            let state = try await context.world.blocking.run { () throws(LedgerError) in try reading.state() }
            return state.queue.downloads.map { DownloadRow($0) }
        } catch { throw Problem(error) }
    }

    private func start(_ arguments: [String]) throws -> ChildProcess {
        var environment = context.environment
        environment["LEDGER_HOME"] = place.home.string
        return try ChildProcess(FilePath(context.executable), arguments, environment: environment)
    }

    private func step(_ command: String) { say("$ " + command) }

    private func say(_ line: String) { context.console.writeError(line + "\n") }
}
