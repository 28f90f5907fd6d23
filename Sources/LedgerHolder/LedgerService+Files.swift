package import LedgerAPI
import LedgerEngine
package import LedgerModel
import LedgerSystem
import LedgerTransfer
import SystemPackage

extension LedgerService {
    /// The downloads from a URL that were not deleted, the newest first. One with a secret in it finds those with the
    /// same; one without finds those with any.
    package func downloads(from url: ResourceURL) async throws(Problem) -> [DownloadID] {
        let source = url.redacted
        let alike = try await read { state in state.queue.downloads(from: source) }
        guard source != url else { return alike.map(\.id) }
        return alike.filter { $0.order.secret.flatMap(secrets.secrets(of:))?.url == url.text }.map(\.id)
    }

    /// Compares the finished files of downloads with what is on record, by length and time, and records what is
    /// otherwise.
    /// - Returns: those of which the disk refuses to tell; that is not on record.
    @discardableResult
    package func lookAtFiles(of ids: [DownloadID]) async throws(Problem) -> Set<DownloadID> {
        if ids.isEmpty { return [] }
        do throws(LedgerError) { return try await reconciler.look(at: ids) } catch { throw Problem(error) }
    }

    /// Hashes the finished files of downloads, one after the other beside whatever else is done, and records which of
    /// them are not what was fetched.
    /// - Returns: whether there is any, and all of them are what was fetched; false when the task is cancelled.
    package func hashFiles(of ids: [DownloadID]) async throws(Problem) -> Bool {
        let files = try await read { state in
            ids.compactMap { id in state.queue[id]?.shownFile.map { (id: id, file: $0) } }
        }
        var isWhole = !files.isEmpty
        for (id, file) in files {
            guard let seen = try await hash(file) else {
                isWhole = false
                continue
            }
            guard seen.sha256 != file.sha256 else { continue }
            isWhole = false
            let observation = Observation.altered(seen.identity, sha256: seen.sha256)
            _ = try await execute([Submission(.observe(id, observation), id: nil, actor: .maintenance)])
        }
        return isWhole
    }

    /// What a file is now; nil when it is gone or can not be read.
    private func hash(
        _ file: PublishedFile
    ) async throws(Problem) -> (identity: FileIdentity, sha256: Digest)? {
        let fileSystem = ledger.world.fileSystem
        return await ledger.world.readers.run { isStopped in
            let path = FilePath(file.path)
            do {
                guard let status = try fileSystem.status(of: path), status.kind == .regular else { return nil }
                let sum = try RunningDigest.sha256(
                    of: path, length: status.length, in: fileSystem, unless: isStopped)
                return sum.map { (status.identity, $0) }
            } catch {
                // Whoever asked goes to the origin; reconciling tells what the disk refuses.
                return nil
            }
        }
    }
}
