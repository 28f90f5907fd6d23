import LedgerModel
import LedgerSystem
import LedgerTransfer
import Synchronization
import SystemPackage

extension Reconciler {
    /// How often a file is read to its end that changes meanwhile; then what was read last counts.
    private static let readsMax = 3
    /// How many files are read between two looks, at most; and how many bytes, but for one longer file.
    private static let turnFilesMax = 256
    private static let turnBytesMax: UInt64 = 64 << 20

    /// Looks at downloads, and has the files read that only their bytes tell of, turn by turn beside whatever else is
    /// done; behind each turn their downloads are looked at again, and before it, as they may have waited for long.
    ///
    /// Once this process is to end, nothing more is read: those looks stay without an answer.
    /// - Parameter look: looks at downloads, knowing of files that were read.
    func reading(
        _ ids: [DownloadID], _ progress: WorkProgress?,
        _ look: ([DownloadID], [DownloadID: ReadFile]) async throws(LedgerError) -> [Look]
    ) async throws(LedgerError) -> [Look] {
        var seen: Set<DownloadID> = []
        var looks = try await look(ids.filter { seen.insert($0).inserted }, [:])
        var waiting = looks.indices.filter { looks[$0].unread != nil }[...]
        var hasWaited = false
        while !waiting.isEmpty, !isHurried.load(ordering: .relaxed) {
            let count = Self.filesOfTurn(waiting.lazy.map { looks[$0].unread?.status.length ?? 0 })
            var turn = Array(waiting.prefix(count))
            waiting = waiting.dropFirst(turn.count)
            if hasWaited { try await again(&turn, of: &looks, [:], look) }
            for attempt in 1...Self.readsMax where !turn.isEmpty && !isHurried.load(ordering: .relaxed) {
                let read = await read(turn.map { looks[$0] }, isLast: attempt == Self.readsMax, progress)
                for place in turn {
                    guard case .failure(let failure)? = read[looks[place].id] else { continue }
                    looks[place] = Look(looks[place].id, .failure(failure))
                    tell(looks[place])
                }
                turn.removeAll { looks[$0].unread == nil }
                try await again(&turn, of: &looks, read.compactMapValues(\.file), look)
            }
            hasWaited = true
        }
        return looks
    }

    /// How many of the files to be read, by their lengths, are read in the next turn: one at least.
    private static func filesOfTurn(_ lengths: some Sequence<UInt64>) -> Int {
        var (files, bytes) = (0, UInt64(0))
        for length in lengths {
            guard files < turnFilesMax, files == 0 || bytes + length <= turnBytesMax else { break }
            (files, bytes) = (files + 1, bytes + length)
        }
        return files
    }

    /// Looks again at some of the downloads, and leaves those in `places` that are still to be read.
    private func again(
        _ places: inout [Int], of looks: inout [Look], _ known: [DownloadID: ReadFile],
        _ look: ([DownloadID], [DownloadID: ReadFile]) async throws(LedgerError) -> [Look]
    ) async throws(LedgerError) {
        let found = try await look(places.map { looks[$0].id }, known)
        let byID = Dictionary(found.map { ($0.id, $0) }) { first, _ in first }
        // One that is not found has no file to look at any longer.
        for place in places { looks[place] = byID[looks[place].id] ?? Look(looks[place].id, .success(nil)) }
        places.removeAll { looks[$0].unread == nil }
    }

    /// Reads files to their ends; one that is gone or another by now, and all once nobody waits, is left out.
    private func read(
        _ looks: [Look], isLast: Bool, _ progress: WorkProgress?
    ) async -> [DownloadID: Result<ReadFile, Failure>] {
        await ledger.world.readers.run {
            var read: [DownloadID: Result<ReadFile, Failure>] = [:]
            for look in looks {
                guard let unread = look.unread else { continue }
                do throws(Failure) {
                    guard let sum = try self.sha256(of: unread, progress) else { continue }
                    read[look.id] = .success(
                        ReadFile(path: unread.path, status: unread.status, sha256: sum, isLast: isLast))
                } catch {
                    if self.isStill(unread) { read[look.id] = .failure(error) }
                }
            }
            return read
        }
    }

    /// The sum of a file; nil when nobody waits for it any longer.
    private nonisolated func sha256(of unread: UnreadFile, _ progress: WorkProgress?) throws(Failure) -> Digest? {
        try RunningDigest.sha256(of: unread.path, length: unread.status.length, in: fileSystem, progress) {
            isHurried.load(ordering: .relaxed)
        }
    }

    /// Whether a file that could not be read still is what it was.
    private nonisolated func isStill(_ unread: UnreadFile) -> Bool {
        do throws(FileError) { return try fileSystem.status(of: unread.path) == unread.status } catch {
            // What the disk refuses is told as it was read.
            return true
        }
    }
}

extension Result where Success == ReadFile {
    fileprivate var file: ReadFile? { if case .success(let file) = self { file } else { nil } }
}
