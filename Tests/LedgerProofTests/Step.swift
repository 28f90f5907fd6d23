import LedgerAPI
import LedgerEngine
import LedgerModel
import LedgerSystem
import LedgerTestSupport

/// What somebody does to a running ledger. Downloads are named by the order in which they were enqueued, round again
/// past the last.
enum Step: Hashable, Sendable {
    /// Files of the world's origin, by number, in one batch.
    case enqueue([Int])
    case pause(Int)
    case resume(Int)
    case cancel(Int)
    case retry(Int)
    case trash(Int)
    case purge(Int)
    case undo
    case first(Int)
    case compact(drops: Bool)
    /// A feed offers these files of the world's origin; it is followed if it is not yet.
    case list([Int])
    /// An entry of the feed is enqueued, by the number of its file.
    case take(Int)
    /// A finished file is of use to someone, stays for good, or is evicted.
    case use(Int)
    case pin(Int)
    case evict(Int)
    /// A group is limited to so many files.
    case keep(Int)
    /// A hook is told of everything so far.
    case tell
    /// Lets time pass, in milliseconds.
    case wait(Int)
    case untilIdle
    /// Leaves as SIGTERM does, and starts anew.
    case restart
}

extension SimulatedMachine {
    /// Does a step; a command that is refused is no error.
    /// - Returns: what was recorded, when something was acknowledged.
    func perform(_ step: Step, on ids: inout [DownloadID]) async throws -> [Recorded] {
        switch step {
        case .enqueue(let files):
            let commands = try files.map { Command.enqueue(try Origins.order($0), priority: 0, again: false) }
            let events = try await execute(commands)
            ids += events.filter { $0.event.kind == .enqueued }.map { DownloadID($0.sequence) }
            return events
        case .wait(let milliseconds):
            let clock = ledger.world.clock
            try await clock.sleep(until: clock.uptime() + .milliseconds(milliseconds))
            return []
        case .untilIdle:
            try await untilIdle()
            return []
        case .compact(let drops):
            var request = CompactRequest()
            request.keepEvents = 0
            request.drops = drops
            _ = try await ledger.compact(request)
            return []
        case .restart: return []
        case .list, .take, .keep, .tell: return try await execute(try await libraryCommands(step))
        case .undo: return try await execute([.undo(nil)])
        case .pause, .resume, .cancel, .retry, .trash, .purge, .first, .use, .pin, .evict:
            guard let id = step.number.flatMap({ ids.isEmpty ? nil : ids[$0 % ids.count] }) else { return [] }
            return try await execute([try await command(step, id)])
        }
    }

    private func execute(_ commands: [Command]) async throws -> [Recorded] {
        let submissions = commands.map { Submission($0, id: nil, actor: .cli) }
        var recorded: [Recorded] = []
        for outcome in try await ledger.execute(submissions) {
            switch outcome {
            case .recorded(let events), .joined(_, let events): recorded += events
            case .repeated, .refused: break
            }
        }
        return recorded
    }

    private func command(_ step: Step, _ id: DownloadID) async throws -> Command {
        switch step {
        case .pause: return .pause(id)
        case .resume: return .resume(id)
        case .cancel: return .cancel(id)
        case .retry: return .retry(id)
        case .first: return .move(id, .first)
        case .purge: return .delete(id, .purge)
        case .use: return .use(id)
        case .pin: return .pin(id, true)
        case .evict: return .delete(id, .evicted)
        case .trash:
            let download = try await ledger.read { $0.queue[id] }
            return .delete(id, .trash(path: assignments.trashPath(of: id, download, in: Self.home, ledger.world)))
        case .enqueue, .undo, .compact, .wait, .untilIdle, .restart, .list, .take, .keep, .tell:
            preconditionFailure("no step on one download: \(step)")
        }
    }

    /// What fills the catalog and keeps it.
    private func libraryCommands(_ step: Step) async throws -> [Command] {
        let feed = Listing(kind: .feed, source: .file("/feed.xml"), directory: Self.files)
        let number = try await ledger.read { $0.library.listings.keys.first }
        switch step {
        case .list(let files):
            guard let number else {
                _ = try await execute([.library(.follow(feed))])
                return try await libraryCommands(step)
            }
            let entries = files.map { file in
                ListedEntry(guid: "f\(file)", url: ResourceURL(recorded: "http://origin.test" + Origins.path(file)))
            }
            let next = ledger.world.clock.now().advanced(by: .seconds(3600))
            return [.library(.refresh(number, entries, Refresh(nextAt: next)))]
        case .take(let file):
            guard let number else { return [] }
            return [.library(.take(number, guid: "f\(file)", try Origins.order(file), again: false))]
        case .keep(let files):
            let limits = GroupLimits(newestMax: UInt32(files), sizeBytesMax: nil)
            return [.library(.limit(group: "feed", limits))]
        default:
            return [
                .library(.hook(name: "h", details: "all=/bin/tell")),
                .library(.deliver(hook: "h", through: ledger.lastSequence)),
            ]
        }
    }
}

extension Step {
    /// Which download it is about.
    fileprivate var number: Int? {
        switch self {
        case .pause(let number), .resume(let number), .cancel(let number), .retry(let number), .trash(let number),
            .purge(let number), .first(let number), .use(let number), .pin(let number), .evict(let number):
            number
        case .enqueue, .undo, .compact, .wait, .untilIdle, .restart, .list, .take, .keep, .tell: nil
        }
    }

    /// A step by chance.
    static func random(using chance: inout SplitMix64) -> Step {
        let number = Int.random(in: 0..<64, using: &chance)
        switch Int.random(in: 0..<34, using: &chance) {
        case 0..<7:
            let count = Int.random(in: 1...4, using: &chance)
            return .enqueue((0..<count).map { _ in Int.random(in: 0..<Origins.count, using: &chance) })
        case 7: return .pause(number)
        case 8, 9: return .resume(number)
        case 10: return .cancel(number)
        case 11: return .retry(number)
        case 12, 13: return .trash(number)
        case 14: return .purge(number)
        case 15, 16: return .undo
        case 17: return .first(number)
        case 18, 19: return .compact(drops: false)
        case 20: return .compact(drops: true)
        case 21: return .restart
        case 22: return .untilIdle
        default: return .wait(Int.random(in: 1...2500, using: &chance))
        }
    }
}
