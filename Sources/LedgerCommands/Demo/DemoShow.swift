import LedgerAPI
import LedgerCoding
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
    /// The flags that the commands of it are given, too.
    let global: GlobalOptions

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
        let ending = Task {
            // One that ended early sends no more.
            let status = await first.wait()
            origin.end()
            return status
        }
        await origin.hasSent(Int(Double(bytes) * Self.killAfter))
        first.send(.kill)
        let status = await ending.value
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
        let outcome = Outcome(
            different: try different(), fetchedTwice: max(0, origin.tally.total - bytes),
            fetchedAgain: fetchedAgain(completed, since: before))
        tell(outcome)
        try await showLog(resumed: known.first { $0.state != .completed && $0.received > 0 })
        if global.json { try context.console.print(outcome.json(of: files.count).description) }
        return outcome.different.isEmpty
    }

    /// Stops the origin and removes the directory.
    func cleanUp() async throws {
        try await origin.stop()
        try place.remove()
    }

    /// The names of the files that differ from their source.
    private func different() throws(Problem) -> [String] {
        var names: [String] = []
        for file in files where try place.contents(of: file.name) != file.bytes(0..<file.length) {
            names.append(file.name)
        }
        return names
    }

    /// How many files were complete and fetched again all the same.
    private func fetchedAgain(_ completed: [DownloadRow], since before: DemoOrigin.Tally) -> Int {
        let (done, after) = (Set(completed.map(\.name)), origin.tally)
        return files.count { done.contains($0.name) && after.bytes[$0.number] != before.bytes[$0.number] }
    }

    private func tell(_ outcome: Outcome) {
        guard outcome.different.isEmpty else {
            return say("\nThese files differ from their source: \(outcome.different.joined(separator: ", "))")
        }
        say(
            "\nAll \(files.count) files equal their source, byte for byte.\nFetched twice: "
                + "\(Figures.size(UInt64(outcome.fetchedTwice))) (what was not yet durable when it was killed)."
                + " Complete files fetched again: \(outcome.fetchedAgain).\n")
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
        // Nobody's proxy or hours count here: the origin is this process.
        var environment = context.environment.filter { name, _ in
            !name.hasPrefix("LEDGER_") && !name.lowercased().hasSuffix("_proxy")
        }
        environment["LEDGER_HOME"] = place.home.string
        let flags = (global.json ? ["--json"] : []) + (global.quiet ? ["--quiet"] : [])
        return try ChildProcess(FilePath(context.executable), arguments + flags, environment: environment)
    }

    private func step(_ command: String) { say("$ " + command) }

    private func say(_ line: String) { context.console.note(line) }
}

extension DemoShow {
    /// What came of it.
    private struct Outcome {
        /// The files that differ from their source.
        let different: [String]
        /// Bytes that the origin sent beyond what the files have.
        let fetchedTwice: Int
        /// Complete files that it was asked for again.
        let fetchedAgain: Int

        func json(of files: Int) -> JSONValue {
            [
                "summary": [
                    "files": JSONValue(files), "different": .array(different.map(JSONValue.string)),
                    "bytesFetchedTwice": JSONValue(fetchedTwice), "filesFetchedAgain": JSONValue(fetchedAgain),
                ]
            ]
        }
    }
}
