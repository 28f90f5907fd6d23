import LedgerAPI
import LedgerEngine
import LedgerLog
import LedgerModel
import LedgerSystem
import LedgerViews
import SystemPackage

/// The ledger itself: who holds it, and whether its log is whole.
extension Examination {
    private var session: LedgerSession { LedgerSession(context, console, home) }

    /// Who holds the ledger, and whether they answer.
    func holder() async -> (finding: Finding, status: HolderStatus?, isHeld: Bool) {
        do throws(Problem) {
            let clock = context.world.clock
            let deadline = clock.uptime() + context.answerPatience
            while try await session.isHeld() {
                let (finding, status) = try await answer()
                // Whoever has just come serves no socket yet, and whoever leaves serves none any more.
                if status != nil || clock.uptime() >= deadline { return (finding, status, true) }
                try await session.wait()
            }
            return (Finding("holder", .ok, "nobody holds the ledger now"), nil, false)
        } catch { return (Finding("holder", error), nil, true) }
    }

    private func answer() async throws(Problem) -> (Finding, HolderStatus?) {
        var isSilent = false
        let remote = try await session.holder { isSilent = true }
        let status = try await session.ifItStays { () throws(Problem) in try await remote?.status() }
        remote?.close()
        guard let status else {
            let words = isSilent ? "a process holds the ledger and does not answer" : "a process holds the ledger"
            let finding = Finding(
                "holder", .bad, words,
                next: "'fuser \(home.path.appending("ledger.lock"))' names it; let it go on (kill -CONT) or end it")
            return (finding, nil)
        }
        let words =
            "process \(status.processID) (version \(status.programVersion)) holds the ledger and answers, "
            + "\(Figures.counted(status.running, "download")) running"
        guard status.programVersion == Version.current else {
            let finding = Finding(
                "holder", .warn, words + "; this is version \(Version.current)", next: "ledger run --take-over")
            return (finding, status)
        }
        return (Finding("holder", .ok, words), status)
    }

    /// Whether anybody waits to hold it next.
    func heir() async -> Finding {
        do throws(Problem) {
            let waits = try await session.hasHeir()
            return Finding("heir", .ok, waits ? "another process waits to take it over" : "nobody waits for it")
        } catch { return Finding("heir", error) }
    }

    /// The log, by its checksums and seals.
    func log() async -> [Finding] {
        let (home, fileSystem, threads) = (home.path, fileSystem, CurrentProcess.processors)
        do throws(Problem) {
            let report = try await session.blocking { () throws(LedgerError) in
                var verifier = LogVerifier(home: home, fileSystem: fileSystem, depth: .quick, threads: threads)
                do throws(LogError) { return try verifier.run() } catch { throw .log(error) }
            }
            let view = VerificationView(report)
            guard view.exitCode != .done else {
                // Whole, and perhaps written by a newer program, which only its events tell.
                let (ledger, world) = (session.home, context.world)
                _ = try await session.blocking { () throws(LedgerError) in
                    try LedgerReading(home: ledger, world: world).state()
                }
                let words = "every checksum and seal holds, up to event \(report.lastSequence)"
                guard let first = report.findings.first else { return [Finding("log", .ok, words)] }
                // What has a twin, or can be made anew: whole as it is, but not if the next thing goes too.
                let damaged = report.findings.map(\.what).joined(separator: "; ")
                return [Finding("log", .warn, "\(words); but \(damaged)", next: first.next)]
            }
            let worst = report.findings.first { !$0.kind.isHarmless } ?? report.findings.first
            return [
                Finding(
                    "log", view.exitCode == .tornTail ? .warn : .bad,
                    report.findings.map(\.what).joined(separator: "; "),
                    next: worst?.next ?? "'ledger verify' says more")
            ]
        } catch {
            if error.code == .noLedger { return [withoutLog()] }
            return [Finding("log", error)]
        }
    }

    /// What compactions archived: whether it stands there. Reading it is a matter of its length.
    func archive() async -> [Finding] {
        let (home, fileSystem) = (home.path, fileSystem)
        do throws(Problem) {
            let survey = try await session.blocking { () throws(LedgerError) in
                do throws(LogError) { return try ArchiveSurvey(home: home, fileSystem: fileSystem) } catch {
                    throw .log(error)
                }
            }
            if let missing = survey.missingWords {
                return [
                    Finding(
                        "archive", .warn, "\(missing) not in '\(home.appending("archive"))'",
                        next: "put back what was moved away, or name its place: 'ledger verify --archive DIR'")
                ]
            }
            let words = "\(Figures.counted(survey.present, "segment")) of what was compacted away in its place"
            return survey.present > 0 ? [Finding("archive", .ok, words + "; 'ledger verify --archive' reads it")] : []
        } catch {
            // There is no log, or its look tells what is wrong with it.
            return []
        }
    }

    /// The clock: a year that can be, and no event that comes from the future.
    func clock(_ hasHome: Bool) async -> Finding {
        let last = hasHome ? await lastEvent() : nil
        // Behind the look at the log, to which others may write meanwhile.
        let now = context.world.clock.now()
        guard now >= Self.earliest, now <= Self.latest else {
            return Finding(
                "clock", .bad, "it is \(now.rfc3339), which can not be: certificates and retries go wrong",
                next: "set the clock (timedatectl set-ntp true)")
        }
        if let last, last > now {
            return Finding(
                "clock", .warn, "the last event is of \(last.rfc3339), and it is \(now.rfc3339): the clock went back",
                next: "set the clock; retries and hours of the day go by it")
        }
        return Finding("clock", .ok, "\(now.rfc3339)")
    }

    /// The first day of 2024 and of 2100, UTC.
    private static let (earliest, latest) = (
        Timestamp(milliseconds: 1_704_067_200_000), Timestamp(milliseconds: 4_102_444_800_000)
    )

    /// When the last event was recorded; nil when there is none, or none can be read: another look tells why.
    private func lastEvent() async -> Timestamp? {
        let (home, world) = (home, context.world)
        do throws(Problem) {
            return try await session.blocking { () throws(LedgerError) -> Timestamp? in
                let reading = LedgerReading(home: home, world: world)
                let end = try reading.end()
                guard end > .zero else { return nil }
                var reader = try EventReader(
                    home: home, fileSystem: world.fileSystem, after: SequenceNumber(end.rawValue - 1))
                return try reader.next()?.events.last?.time
            }
        } catch { return nil }
    }
}
