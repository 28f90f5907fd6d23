import LedgerCoding
import LedgerLog
package import LedgerModel
import LedgerSystem
import SystemPackage

/// Writes a log of given events as a new ledger: beside its home first, and in its place in one step when it is whole.
/// Killed before that step, nothing is there but a leftover that the next import removes. Blocks.
package struct LogImport: ~Copyable {
    /// How many events are made durable together.
    static let batchEvents = 4096

    /// The state after what was taken so far.
    package private(set) var state = LedgerState()
    private let target: ImportTarget
    private let world: World
    private var log: FileEventLog?
    private var staged = 0
    private var time = Timestamp.epoch
    /// The lengths of all files that the events speak of. What real disks held stays far below ``Field/countMax``, and
    /// so does every sum of some of them.
    private var fileBytes: UInt64 = 0

    /// Begins to import into `home`, in which there must be no event.
    /// - Parameter isDryRun: whether nothing is written, and everything else is done.
    /// - Throws: ``LedgerError``: the home holds events or other things, is held, or the disk failed.
    package init(into home: LedgerHome, world: World, isDryRun: Bool) throws(LedgerError) {
        let target = try ImportTarget(home: home, fileSystem: world.fileSystem)
        try target.prepare(isDryRun: isDryRun)
        try self.init(target, world, log: isDryRun ? nil : FileEventLog.open(target.place, world))
    }

    private init(_ target: ImportTarget, _ world: World, log: consuming FileEventLog?) {
        self.target = target
        self.world = world
        self.log = log
    }

    /// Takes the next event. One that can not come next is the error ``LedgerError/coding(_:)``.
    package mutating func take(_ event: Recorded) throws(LedgerError) {
        precondition(event.sequence == state.sequence.next, "whoever reads the events sees that none is missing")
        let (sum, isTooMuch) = fileBytes.addingReportingOverflow(event.event.fileLength)
        do throws(CodingError) {
            guard !isTooMuch, sum <= Field.countMax else {
                let kind = event.event.kind
                throw CodingError(.tooManyBytes).at(
                    type: kind.rawValue, version: EventCoding.version(of: kind), sequence: event.sequence)
            }
            try log?.stage([event])
        } catch { throw .coding(error) }
        fileBytes = sum
        try state.take(event, at: event.sequence)
        time = event.time
        try step()
    }

    /// Takes a place in the log that holds nothing this program knows: it stays empty.
    package mutating func pass() throws(LedgerError) {
        state.pass(state.sequence.next)
        log?.stageGap(at: time)
        try step()
    }

    private mutating func step() throws(LedgerError) {
        staged += 1
        guard staged >= Self.batchEvents || log?.isBatchFull ?? false else { return }
        try commit()
    }

    private mutating func commit() throws(LedgerError) {
        staged = 0
        try log?.commit(at: world.clock.now())
    }

    /// Makes all of it durable, and the home's ledger.
    /// - Returns: the identity of the new ledger and the root of its log, in hexadecimal; nil when it is a dry run.
    package consuming func finish() throws(LedgerError) -> (identity: String, root: String)? {
        try commit()
        guard log != nil else { return nil }
        let made = (log?.identity ?? "", log?.root.description ?? "")
        try log?.close(state)
        try target.install()
        return made
    }

    /// Gives up, and removes what was written.
    package consuming func abandon() throws(LedgerError) {
        guard log != nil else { return }
        log = nil
        do throws(FileError) { try target.clear() } catch { throw .file(error) }
    }
}

extension Event {
    /// The length of the file that it tells of; 0 when it tells of none.
    fileprivate var fileLength: UInt64 {
        switch self {
        case .verified(let length, _, _): length
        case .completed(let identity), .altered(let identity, _), .found(let identity, _, _, _): identity.length
        case .enqueued, .resolved, .progressed, .failed, .paused, .resumed, .cancelled, .retried, .moved, .changed,
            .deleted, .restored, .missing, .compacted, .checkpointed, .repaired, .redacted, .blamed, .rechecked,
            .unchanged, .used, .pinned, .relocated, .library:
            0
        }
    }
}
