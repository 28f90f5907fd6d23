import LedgerLog
import LedgerModel
package import LedgerSystem
import LedgerTransfer
import SystemPackage

/// Compares the files on disk with what the log says of them: the SHA-256 of each finished file, and the CRC-32C of
/// each range that is on record of a part file. Changes nothing. Blocks.
package struct FileVerifier: Sendable {
    private let home: LedgerHome
    private let world: World
    private let threads: Int
    private let progress: WorkProgress?
    private let isStopped: @Sendable () -> Bool

    /// A comparison of the files of the ledger in `home`.
    /// - Parameters:
    ///   - threads: how many files are read at once, each on a thread of low priority; 0 for none but the caller's.
    ///   - progress: is told of the bytes of files.
    ///   - isStopped: whether nobody waits for it any more; asked before each file, and then ``run(samplePercent:)``
    ///     throws ``LedgerError/closed``.
    package init(
        home: LedgerHome, world: World, threads: Int = 0, progress: WorkProgress? = nil,
        isStopped: @escaping @Sendable () -> Bool = { false }
    ) {
        self.home = home
        self.world = world
        self.threads = threads
        self.progress = progress
        self.isStopped = isStopped
    }

    /// Reads all files, or so many percent of them that chance picks, at least one.
    ///
    /// What looks wrong is compared once more with the state as it is then: a download may have gone on meanwhile.
    /// - Throws: ``LedgerError`` of the log; what the disk refuses of a file is a finding.
    package func run(samplePercent: Double? = nil) throws(LedgerError) -> FileReport {
        var subjects = try Self.subjects(of: state(), prefix: prefix())
        var report = FileReport()
        report.files = subjects.count
        if let samplePercent { subjects = pick(samplePercent, of: subjects) }
        report.checked = subjects.count
        for subject in subjects { progress?.expect(subject.bytesToRead) }
        let fileSystem = world.fileSystem
        let seen = ParallelWork.map(subjects, threads: threads) { [progress, isStopped] subject in
            isStopped() ? nil : subject.look(fileSystem, progress)
        }
        if isStopped() { throw .closed }
        let suspects = Set(zip(subjects, seen).filter { $1 != nil }.map { $0.0.id })
        report.bytes = zip(subjects, seen).reduce(0) { $0 + ($1.1 == nil ? $1.0.bytesToRead : 0) }
        guard !suspects.isEmpty else { return report }
        report.findings = try Self.subjects(of: state(), prefix: prefix())
            .filter { suspects.contains($0.id) }.compactMap { $0.look(fileSystem, nil) }
        return report
    }

    private func state() throws(LedgerError) -> LedgerState { try LedgerReading(home: home, world: world).state() }

    private func prefix() throws(LedgerError) -> String {
        do throws(LogError) {
            let identity = try LogProver(home: home.path, fileSystem: world.fileSystem).identity
            return String(identity.description.prefix(PartName.ledgerPrefixDigits))
        } catch { throw .log(error) }
    }

    /// Every download with a file that should hold something, in the order of their numbers.
    private static func subjects(of state: LedgerState, prefix: String) -> [FileSubject] {
        state.queue.downloads.compactMap { download in
            FileSubject(download, in: state, ledgerPrefix: prefix)
        }
    }

    /// Draws `percent` of the subjects without putting back, and keeps their order.
    private func pick(_ percent: Double, of subjects: [FileSubject]) -> [FileSubject] {
        let count = min(subjects.count, Int((Double(subjects.count) * percent / 100).rounded(.up)))
        var generator = Chance(random: world.random)
        let picked = Set(subjects.indices.shuffled(using: &generator).prefix(count))
        return subjects.indices.filter(picked.contains).map { subjects[$0] }
    }

    /// The world's chance, for the standard library.
    private struct Chance: RandomNumberGenerator {
        let random: @Sendable () -> UInt64
        mutating func next() -> UInt64 { random() }
    }
}
