package import LedgerAPI
import LedgerEngine
import LedgerModel
import LedgerSystem

extension LedgerService {
    package func reconcile(_ request: ReconcileRequest) async throws(Problem) -> ReconcileReport {
        try await reconcile(request, as: configuration.actor)
    }

    func reconcile(_ request: ReconcileRequest, as actor: EventActor) async throws(Problem) -> ReconcileReport {
        var (looked, differences) = (0, [FileDifference]())
        let progress = configuration.maintenanceProgress
        do throws(LedgerError) {
            try await reconciler.compare(isDryRun: request.isDryRun, progress: progress) { found, count in
                differences += found
                looked += count
            }
        } catch { throw Problem(error) }
        var findings = differences.map { difference in
            var finding = ReconcileReport.Finding(
                id: difference.id, path: difference.path, was: DownloadState(difference.before, isRunning: false),
                state: DownloadState(difference.after, isRunning: false),
                action: difference.before == difference.after ? .known : .recorded)
            if let refusal = difference.refusal { (finding.action, finding.note) = (.unseen, refusal) }
            return finding
        }
        if request.adopts { try await adopt(&findings, request) }
        if request.requeues { try await requeue(&findings, request, as: actor) }
        var report = ReconcileReport(isDryRun: request.isDryRun)
        report.looked = looked
        report.open = findings.count(where: \.isOpen)
        for finding in findings {
            report.states[finding.state, default: 0] += 1
            report.actions[finding.action, default: 0] += 1
        }
        report.findings = Array(findings.prefix(ReconcileReport.findingsMax))
        report.more = findings.count - report.findings.count
        return report
    }

    /// Takes what was changed as it is.
    private func adopt(
        _ findings: inout [ReconcileReport.Finding], _ request: ReconcileRequest
    ) async throws(Problem) {
        let places = findings.indices.filter { findings[$0].state == .altered && findings[$0].action != .unseen }
        let refusals: [DownloadID: String]
        do throws(LedgerError) {
            refusals = try await reconciler.adopt(
                places.map { findings[$0].id }, isDryRun: request.isDryRun, progress: configuration.maintenanceProgress)
        } catch { throw Problem(error) }
        for place in places {
            findings[place].note = refusals[findings[place].id]
            if findings[place].note == nil { findings[place].action = .adopted }
        }
    }

    /// Has fetched again what is still missing or changed.
    private func requeue(
        _ findings: inout [ReconcileReport.Finding], _ request: ReconcileRequest, as actor: EventActor
    ) async throws(Problem) {
        let places = findings.indices.filter { findings[$0].isOpen && findings[$0].action != .unseen }
        let ids = places.map { findings[$0].id }
        let answers =
            request.isDryRun ? [] : try await act(.retry, on: .ids(ids), command: request.command, as: actor)
        var refusals: [DownloadID: String] = [:]
        for case (let id?, let refusal?) in answers.map({ ($0.id, $0.refusal) }) { refusals[id] = refusal.message }
        let finished = try await read { state in Set(ids.filter { state.queue[$0]?.phase.isFinished ?? true }) }
        for place in places {
            let id = findings[place].id
            findings[place].note = refusals[id]
            // The same request, made before, did its work then: what was lost since waits for another.
            if refusals[id] == nil, request.isDryRun || !finished.contains(id) { findings[place].action = .requeued }
        }
    }
}
