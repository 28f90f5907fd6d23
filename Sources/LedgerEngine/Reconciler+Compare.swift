package import LedgerModel
package import LedgerSystem
import LedgerTransfer
import Synchronization
import SystemPackage

/// A finished file that is not, or was not, as the catalog says.
package struct FileDifference: Hashable, Sendable {
    /// The download it is of.
    package let id: DownloadID
    /// Its absolute path.
    package let path: String
    /// What was on record.
    package let before: Phase
    /// What is on record now, or would be.
    package let after: Phase
    /// Why nobody knows what it is, as a sentence without a full stop; nil where it was seen.
    package let refusal: String?
}

extension Reconciler {
    /// Compares every finished file with the disk, and records what is otherwise.
    /// - Parameters:
    ///   - isDryRun: whether nothing is recorded, and no file is touched.
    ///   - progress: is told of the bytes that are read.
    ///   - take: takes what is otherwise among the next files, and how many were looked at.
    package func compare(
        isDryRun: Bool, progress: WorkProgress? = nil, _ take: ([FileDifference], _ looked: Int) -> Void
    ) async throws(LedgerError) {
        let ids = try await ledger.read { state in state.queue.downloads.ids }
        for start in stride(from: 0, to: ids.count, by: Self.pageDownloadsMax) {
            let page = Array(ids[start..<min(start + Self.pageDownloadsMax, ids.count)])
            let finished = try await ledger.read { state in
                page.compactMap { Subject($0, in: state) }.filter(\.isCompared)
            }
            let looks = isDryRun ? try await seen(finished, progress) : try await settle(page, progress)
            // Not all of them were read.
            if isHurried.load(ordering: .relaxed) { throw .closed }
            let refusals = looks.failures
            let after = isDryRun ? looks.phases : try await phases(of: finished.map(\.download.id))
            take(
                finished.map(\.download).compactMap { download in
                    let (phase, refusal) = (after[download.id] ?? download.phase, refusals[download.id]?.message)
                    // Taken up, or deleted, since: it is no finished file any longer.
                    guard phase.isFinished, (phase, download.phase) != (.completed, .completed) || refusal != nil
                    else { return nil }
                    return FileDifference(
                        id: download.id, path: download.file?.value.path ?? "", before: download.phase, after: phase,
                        refusal: refusal)
                }, finished.count)
        }
    }

    /// The phases that downloads are in.
    private func phases(of ids: [DownloadID]) async throws(LedgerError) -> [DownloadID: Phase] {
        try await ledger.read { state in
            Dictionary(uniqueKeysWithValues: ids.compactMap { id in state.queue[id].map { (id, $0.phase) } })
        }
    }

    /// Looks at finished files, and does nothing.
    private func seen(_ subjects: [Subject], _ progress: WorkProgress?) async throws(LedgerError) -> [Look] {
        let all = Dictionary(subjects.map { ($0.download.id, $0) }) { first, _ in first }
        let blocking = ledger.world.blocking
        return try await reading(subjects.map(\.download.id), progress) { ids, known in
            await blocking.run {
                ids.compactMap { all[$0] }.map { subject in
                    Look(subject.download.id, known) { reading throws(Failure) in
                        try self.look(at: subject, bringsBack: false, &reading)
                    }
                }
            }
        }
    }

    /// Takes files that someone else changed as the finished ones.
    /// - Parameters:
    ///   - isDryRun: whether only to say which can not be.
    ///   - progress: is told of the bytes that are read.
    /// - Returns: why not, of each that is not; a sentence without a full stop.
    package func adopt(
        _ ids: [DownloadID], isDryRun: Bool, progress: WorkProgress? = nil
    ) async throws(LedgerError) -> [DownloadID: String] {
        let downloads = try await ledger.read { state in ids.compactMap { state.queue[$0] } }
        let looks = await ledger.world.blocking.run { downloads.map { ($0.id, self.adoptable($0, progress)) } }
        var (adopted, submissions): ([DownloadID], [Submission]) = ([], [])
        var refusals: [DownloadID: String] = [:]
        for (id, look) in looks {
            switch look {
            case .success(let observation):
                adopted.append(id)
                submissions.append(Submission(.observe(id, observation), id: nil, actor: .maintenance))
            case .failure(let refusal): refusals[id] = refusal.reason
            }
        }
        guard !isDryRun, !submissions.isEmpty else { return refusals }
        for (id, outcome) in zip(adopted, try await ledger.execute(submissions)) {
            // Deleted, or taken up, while it was read.
            if case .refused(let rejection) = outcome { refusals[id] = "\(rejection)" }
        }
        return refusals
    }

    private struct Refusal: Error {
        let reason: String
    }

    /// What a changed file is now, if it may be the finished one. Blocks.
    private nonisolated func adoptable(
        _ download: Download, _ progress: WorkProgress?
    ) -> Result<Observation, Refusal> {
        if download.order.expected != nil || download.order.pieces != nil || download.origin?.value.digest != nil {
            return .failure(Refusal(reason: "it is stated what its bytes must hash to, and these are others"))
        }
        guard let file = download.file?.value else { return .failure(Refusal(reason: "it has no file")) }
        let path = FilePath(file.path)
        do {
            guard let status = try fileSystem.status(of: path), status.kind == .regular else {
                return .failure(Refusal(reason: "no file stands at '\(path)'"))
            }
            if let expected = download.order.options.value.expectedLength, expected != status.length {
                return .failure(Refusal(reason: "it has \(status.length) bytes where \(expected) are expected"))
            }
            let sha256 = try RunningDigest.sha256(of: path, length: status.length, in: fileSystem, progress)
            guard try fileSystem.status(of: path)?.isSame(as: status.identity) ?? false else {
                return .failure(Refusal(reason: "it was changed while it was read"))
            }
            return .success(.found(status.identity, sha256: sha256, path: file.path))
        } catch {
            return .failure(Refusal(reason: "it can not be read: \(error)"))
        }
    }
}

extension Subject {
    /// Whether it has a finished file that can be compared. What is known to be gone because another download's file
    /// stands there is not to be had back by itself.
    fileprivate var isCompared: Bool {
        download.phase.isFinished && !(isSuperseded && download.phase == .missing)
    }
}

extension [Look] {
    /// What the disk refused.
    var failures: [DownloadID: Failure] {
        Dictionary(uniqueKeysWithValues: compactMap { look in look.failure.map { (look.id, $0) } })
    }

    /// The phases that finished downloads would have, of which something else was seen than is on record.
    fileprivate var phases: [DownloadID: Phase] {
        Dictionary(uniqueKeysWithValues: compactMap { look in look.observation.map { (look.id, $0.phase) } })
    }
}

extension Observation {
    /// The phase of a finished download of which this was seen.
    fileprivate var phase: Phase {
        switch self {
        case .missing: .missing
        case .altered: .altered
        case .found: .completed
        }
    }
}
