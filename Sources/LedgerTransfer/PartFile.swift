package import LedgerModel
package import LedgerSystem
import Synchronization
package import SystemPackage

/// The file that a transfer writes, beside its destination, until it is whole.
///
/// Bytes are durable before anyone claims them: ``synchronize()`` captures what was written *before* the call, and only
/// that is durable after it. A sync that failed poisons the part: Linux marks the pages clean, and a second sync would
/// lie (rule 4). So does any other sync on the device that fails while the part is open: see
/// ``LedgerSystem/FailedSyncs``. Usable from any thread.
package final class PartFile: Sendable {
    /// Parts shorter than this are not reserved ahead: writing them is as quick as asking, in bytes.
    package static let allocationBytesMin: UInt64 = 64 << 10

    /// Where it stands.
    package let path: FilePath
    /// Its bytes, for whoever hashes what was written.
    package let file: any File
    /// Which file system it stands on.
    let device: UInt64
    /// Whether its file system tells how many names it has: then one that has none any more was removed.
    private let countsNames: Bool
    private let fileSystem: any FileSystem
    private let trust: SyncTrust
    private let state: Mutex<State>

    private struct State {
        var written: SummedRanges
        var durable: SummedRanges
        /// Whether the name itself is durable.
        var isAnchored: Bool
        var poison: Failure?
        /// What was taken out since the last sync began.
        var forgotten = ByteRangeSet()
        /// What the disk was told to begin with.
        var writeback: WritebackSteps
        /// How long it may become without asking for room again.
        var promised: UInt64 = 0
    }

    private init(
        _ file: any File, _ status: FileStatus, in fileSystem: any FileSystem, holding durable: SummedRanges,
        isAnchored: Bool
    ) {
        self.file = file
        device = status.device
        countsNames = status.links > 0
        self.fileSystem = fileSystem
        trust = fileSystem.failedSyncs.trust(on: status.device)
        path = file.path
        state = Mutex(
            State(
                written: durable, durable: durable, isAnchored: isAnchored,
                writeback: WritebackSteps(from: durable.prefixCount)))
    }

    /// Makes an empty part under `path`, whose directory exists, and reserves `length` bytes when the length is known,
    /// so that a full disk is seen before the first byte; where nothing can be reserved, there must be as much room
    /// beside what others were promised. A leftover of this name is ours and unclaimed: it goes first.
    ///
    /// The name is not durable yet: the first ``synchronize()`` sees to it before anything may be claimed.
    /// - Parameter fill: writes what is there of its bytes.
    /// - Throws: a ``Failure`` `disk-full` or `disk`, or what `fill` throws; nothing is left behind then.
    package static func create(
        at path: FilePath, length: UInt64?, in fileSystem: any FileSystem, promises: PromisedRoom = PromisedRoom(),
        filling fill: (PartFile) throws(Failure) -> Void = { _ in }
    ) throws(Failure) -> PartFile {
        let file = try disk { () throws(FileError) in
            do throws(FileError) { return try fileSystem.open(path, .create(permissions: 0o666)) } catch {
                guard error.errno == .fileExists else { throw error }
                try fileSystem.unlink(path)
                return try fileSystem.open(path, .create(permissions: 0o666))
            }
        }
        do throws(Failure) {
            let part = try disk { () throws(FileError) in
                let status = try file.status()
                let part = PartFile(file, status, in: fileSystem, holding: SummedRanges(), isAnchored: false)
                if let length, length >= allocationBytesMin, try !file.allocate(0..<length, extending: false) {
                    try promises.promise(length, to: part, in: fileSystem)
                }
                return part
            }
            try fill(part)
            return part
        } catch {
            file.close()
            try disk { () throws(FileError) in try fileSystem.unlink(path) }
            throw error
        }
    }

    /// Opens the part that the log claims holds `durable`. Whether the bytes are still those is seen when they are read
    /// on the way to the file's digest: see ``prefixSum``.
    /// - Throws: a ``Failure`` `part-lost` when it is gone or shorter than claimed: it is to be fetched anew.
    package static func reopen(
        at path: FilePath, claimed durable: SummedRanges, in fileSystem: any FileSystem
    ) throws(Failure) -> PartFile {
        let gone = Failure(.partLost, "the part file '\(path)' is gone", isRetryable: true)
        let file: any File
        do throws(FileError) { file = try fileSystem.open(path, .update) } catch {
            let other: [Errno] = [.noSuchFileOrDirectory, .tooManySymbolicLinkLevels, .isDirectory]
            throw other.contains(error.errno) ? gone : .disk(error)
        }
        // Of what was opened, whatever has come to stand under the name since.
        let status = try disk { () throws(FileError) in try file.status() }
        guard status.kind == .regular else { throw gone }
        let claimedBytes = durable.ranges.upperBound
        guard status.length >= claimedBytes else {
            throw Failure(
                .partLost,
                "the part file '\(path)' holds \(status.length) bytes where \(claimedBytes) are on record",
                isRetryable: true)
        }
        return PartFile(file, status, in: fileSystem, holding: durable, isAnchored: true)
    }

    /// Why a part can not be used whose bytes are not those that were written to it.
    static func altered(_ path: FilePath) -> Failure {
        Failure(
            .partLost,
            "the part file '\(path)' was changed by someone else: its bytes are not those that were received",
            isRetryable: true)
    }

    /// How many bytes it may still grow by on a promise; zero once it is closed.
    var promisedBytesLeft: UInt64 {
        state.withLock { $0.promised - min($0.promised, $0.written.ranges.count) }
    }

    /// Says how long it may become; see ``PromisedRoom``.
    func promise(_ length: UInt64) { state.withLock { $0.promised = length } }

    /// The ranges whose `pwrite` has returned.
    package var written: ByteRangeSet { state.withLock { $0.written.ranges } }

    /// The CRC-32C of the bytes without a hole from the start, as they were received or taken over; nil when it is not
    /// known.
    var prefixSum: UInt32? { state.withLock { $0.written.prefixSum } }

    /// The ranges that a sync covers.
    package var durable: SummedRanges { state.withLock { $0.durable } }

    /// Writes bytes at `offset`, straight from where they arrived.
    /// - Returns: how many bytes are written without a hole from the start of the file.
    /// - Throws: a ``Failure`` `disk-full` or `disk`.
    @discardableResult
    package func write(_ bytes: RawSpan, at offset: UInt64) throws(Failure) -> UInt64 {
        do throws(FileError) { try file.write(bytes, at: offset) } catch { throw Failure.disk(error) }
        let (range, sum) = (offset..<offset + UInt64(bytes.byteCount), CRC32C.checksum(bytes))
        return state.withLock { state in
            state.written.insert(range, sum: sum)
            return state.written.prefixCount
        }
    }

    /// Takes bytes out again that turned out to be wrong: they are to be written anew.
    package func forget(_ range: Range<UInt64>) {
        state.withLock { state in
            state.written.subtract(range)
            state.durable.subtract(range)
            state.forgotten.insert(range)
        }
    }

    /// Has the disk begin with what was written before `end`, so that less of it waits for a sync. Claims nothing; may
    /// block while the disk has too much to do, so call it from a thread that may wait.
    /// - Throws: a ``Failure`` for good, as ``synchronize()`` does: it poisons the part as well.
    package func beginWriteback(to end: UInt64) throws(Failure) {
        let range = state.withLock { $0.writeback.take(to: end) }
        if !range.isEmpty { try poisoning { () throws(FileError) in try file.beginWriteback(range) } }
    }

    /// Makes what was written before the call durable, the name included, and returns all that is durable now.
    /// Blocks for the time of an `fdatasync(2)`; call it from a thread that may wait, one call at a time.
    /// - Throws: a ``Failure`` for good: after it every later call throws the same.
    package func synchronize() throws(Failure) -> SummedRanges {
        try synchronizeContent()
        let isAnchored = state.withLock { $0.isAnchored }
        if !isAnchored {
            try poisoning { () throws(FileError) in
                try fileSystem.synchronizeDirectory(path.removingLastComponent())
            }
            try requireTrust()
            markAnchored()
        }
        return durable
    }

    /// The content alone: for a group whose directory is synced once for all its parts. Nothing may be claimed of a
    /// part that is not ``isAnchored`` until then.
    package func synchronizeContent() throws(Failure) {
        let (written, poison) = state.withLock { state in
            state.forgotten = ByteRangeSet()
            return (state.written, state.poison)
        }
        if let poison { throw poison }
        #if PLANTED_BUGS
            if PlantedBug.claimedWithoutSync.isOn { return state.withLock { $0.durable = $0.written } }
        #endif
        try poisoning { () throws(FileError) in try file.synchronize() }
        try requireTrust()
        try requireStanding(to: written.ranges.upperBound)
        state.withLock { state in
            var synced = written
            #if PLANTED_BUGS
                if PlantedBug.rangesCapturedAfterSync.isOn { synced = state.written }
            #endif
            for range in state.forgotten.ranges { synced.subtract(range) }
            state.durable = synced
        }
    }

    /// Poisons the part when another sync failed on its device since it was opened, and throws that. To be asked once
    /// more when the syncs of a group are over, of which one may have failed for all.
    package func requireTrust() throws(Failure) {
        do throws(Failure) { try trust.require(for: path) } catch {
            poison(with: error)
            throw error
        }
    }

    /// What was removed, or cut, while it was written is durable nowhere, whatever its syncs say: better told now than
    /// when all of it has come.
    private func requireStanding(to end: UInt64) throws(Failure) {
        let status = try disk { () throws(FileError) in try file.status() }
        let isRemoved = countsNames && status.links == 0
        guard isRemoved || status.length < end else { return }
        let what = isRemoved ? "removed" : "shortened"
        let failure = Failure(.partLost, "the part file '\(path)' was \(what) by someone else", isRetryable: true)
        poison(with: failure)
        throw failure
    }

    /// Why no sync of it is to be believed: it can be read still, and nothing more may be claimed of it. Nil at first.
    package var poison: Failure? { state.withLock { $0.poison } }

    /// Says that a sync failed which the name or the content needed, or which may have taken their bytes along.
    package func poison(with failure: Failure) { state.withLock { $0.poison = $0.poison ?? failure } }

    /// Takes bytes of another part, which are durable there, up to `turnBytesMax` of them; returns where it stopped:
    /// before the end of `range` when the turn was over, at its start when the other part can not be read on.
    /// - Throws: a ``Failure`` `disk-full` or `disk` when they can not be written.
    package func copy(_ range: Range<UInt64>, from other: PartFile) throws(Failure) -> UInt64 {
        let end = min(range.upperBound, range.lowerBound + RunningDigest.turnBytesMax)
        var position = range.lowerBound
        while position < end {
            let count = Int(min(UInt64(RunningDigest.blockBytes), end - position))
            let block: [UInt8]
            do throws(FileError) { block = try other.file.bytes(at: position, count: count) } catch { break }
            guard block.count == count else { break }
            unsafe try write(block.span.bytes, at: position)
            position += UInt64(count)
        }
        return position
    }

    /// Whether the name survives a power cut.
    package var isAnchored: Bool { state.withLock { $0.isAnchored } }

    /// Says that the directory was synced since the part was made.
    package func markAnchored() { state.withLock { $0.isAnchored = true } }

    /// Cuts off what lies beyond the whole length: reserved space, or bytes of a longer answer before.
    package func trim(to length: UInt64) throws(Failure) {
        let end = written.upperBound
        if end > length { forget(length..<end) }
        try disk { () throws(FileError) in
            if try file.status().length != length { try file.truncate(to: length) }
        }
    }

    /// Gives the descriptor back; the part stays.
    package func close() {
        promise(0)
        file.close()
    }

    private func poisoning(_ body: () throws(FileError) -> Void) throws(Failure) {
        do throws(FileError) {
            try body()
        } catch {
            let failure = Failure.disk(error)
            poison(with: failure)
            throw failure
        }
    }
}
