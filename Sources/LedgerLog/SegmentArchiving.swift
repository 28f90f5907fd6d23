import LedgerModel
import LedgerSystem
import SystemPackage

/// Copies one finished segment into the archive, packed, a block at a time: ``step()`` until it says that nothing is
/// left, then ``finish()``. Blocks; the log may be written to meanwhile: a finished segment does not change.
///
/// The copy stands under a name of its own until it was read back, root by root. One that a compaction made before it
/// was cut short is checked, and not made again; what else stands in its place is set aside.
package struct SegmentArchiving: Sendable {
    private let entry: Manifest.Entry
    private let compaction: Compaction
    private let segment: SegmentFile
    private let start: MerkleTree?
    private let length: UInt64
    /// Whether its copy is there already, whole.
    private var isThere = false
    /// Whether something else stands in the place of the copy.
    private var isTaken = false
    private var place: UInt64 = 0
    private var output: GzipOutput?

    private var path: FilePath { compaction.home.archived(entry.first) }
    private var temporary: FilePath { FilePath(path.string + LogHome.newSuffix) }

    /// - Parameter start: the tree that the segment begins with; nil when nobody knows it any longer.
    init(_ entry: Manifest.Entry, _ compaction: Compaction, behind start: MerkleTree?) throws(LogError) {
        self.entry = entry
        self.compaction = compaction
        self.start = start
        segment = try compaction.open(entry)
        length = try disk("look at a segment") { [segment] () throws(FileError) in try segment.file.status().length }
        isTaken = try disk("look into the archive") { () throws(FileError) in
            try compaction.fileSystem.status(of: compaction.home.archived(entry.first)) != nil
        }
        guard isTaken else { return }
        do throws(LogError) {
            try check(path)
            isThere = true
        } catch {
            // Of another history of this ledger, as after an older copy was put in its place, or damaged.
            guard [.corrupted, .tampered, .newerFormat].contains(error.code) else { throw error }
        }
    }

    /// Copies the next block.
    /// - Returns: how many bytes of the log that was; 0 when none are left.
    /// - Throws: ``LogError``: `.full`, `.io`.
    package mutating func step() throws(LogError) -> Int {
        guard !isThere, place < length else { return 0 }
        do throws(FileError) {
            if output == nil { output = try GzipOutput(temporary, compaction.fileSystem) }
            let bytes = try segment.file.bytes(at: place, count: GzipMember.plainBytesMax)
            try output?.append(bytes)
            place += UInt64(bytes.count)
            return bytes.count
        } catch {
            guard error.isDiskFull else { throw LogError(error, doing: "copy a segment into the archive") }
            throw LogError(
                .full, "there is no room in the archive for '\(segment.name)'", file: segment.name, cause: error,
                next: "nothing was taken out of the log: free some space, or 'ledger compact --drop' keeps no archive")
        }
    }

    /// Makes the copy durable, reads it back, and gives it its name.
    /// - Throws: ``LogError``: `.corrupted` or `.tampered` when what was read back is not what the manifest vouches for
    ///   (the log is damaged, or the disk); `.full`, `.io`.
    package mutating func finish() throws(LogError) {
        defer { segment.file.close() }
        if isThere { return }
        try disk("copy a segment into the archive") { () throws(FileError) in try output?.finish() }
        do throws(LogError) { try check(temporary) } catch {
            // Whose damage it is: the copy is as good as what it was made of.
            try segment.check(entry, from: start)
            throw error
        }
        try compaction.held.check(compaction.fileSystem)
        if isTaken { try setAside() }
        try disk("copy a segment into the archive") { () throws(FileError) in
            try compaction.fileSystem.rename(temporary, to: path, replacing: true)
            try compaction.fileSystem.synchronizeDirectory(compaction.home.archive)
        }
    }

    /// Moves what stands in the copy's place into the quarantine: somebody may want it.
    private func setAside() throws(LogError) {
        let (fileSystem, home) = (compaction.fileSystem, compaction.home)
        try disk("move another copy of a segment out of the archive") { () throws(FileError) in
            try fileSystem.createDirectory(home.quarantine, permissions: LogHome.directoryMode)
            try fileSystem.synchronizeDirectory(home.path)
            let name = try home.freeQuarantineName(path.lastComponent?.string ?? "segment", fileSystem)
            try fileSystem.rename(path, to: home.quarantine.appending(name), replacing: false)
            try fileSystem.synchronizeDirectory(home.quarantine)
        }
    }

    private func check(_ path: FilePath) throws(LogError) {
        let copy = try compaction.openCopy(entry, path)
        defer { copy.file.close() }
        try copy.check(entry, from: start)
    }
}
