import LedgerModel
import LedgerSystem
import SystemPackage

extension Opening {
    /// Brings the last segment to a state that can be appended to, and finishes what was cut short.
    mutating func recover(
        _ manifest: Manifest, damaged: [String], _ lock: HomeLock
    ) throws(LogError) -> WriteAheadLog {
        let sealedBytes = try manifest.sealedBytes(fileSystem, home)
        // First of all: the segment that recovery begins would take the name of one that the manifest does not know.
        // A segment that the manifest does not know never held a record; one that does says that the manifest is old.
        if let name = try home.uncountedSegments(fileSystem).first { throw .uncounted(name) }
        var walk = try LastSegment(self, manifest)
        let heads = try Head.load(fileSystem, home, manifest.identity)
        try walk.read(head: heads.head)
        var log = WriteAheadLog(
            root: walk.tree.root, fileSystem: fileSystem, home: home, configuration: configuration, random: random,
            lock: lock, manifest: manifest, segment: walk.writer, sealedBytes: sealedBytes, tree: walk.tree,
            hasher: LeafHasher(manifest.identity), head: heads.head)
        if !damaged.isEmpty {
            report.mended += damaged
            try disk("write the manifest again") { () throws(FileError) in
                try manifest.store(fileSystem, home)
                try fileSystem.synchronizeDirectory(home.path)
            }
        }
        try mendHead(heads.damaged, &log)
        try finish(walk, &log)
        try clearLeftovers(log.manifest)
        report.hasBallast = try disk("make the ballast") { () throws(FileError) in
            do throws(FileError) {
                return try Ballast.restore(fileSystem, home, configuration)
            } catch {
                if error.isDiskFull { return false }
                throw error
            }
        }
        log.recovery = report
        return log
    }

    /// Seals a segment that was open during a crash, durably, and has a new one begun; nothing is appended to it.
    private mutating func finish(_ walk: LastSegment, _ log: inout WriteAheadLog) throws(LogError) {
        switch walk.end {
        case .usable: return
        case .torn(let bytes):
            report.tornBytes = bytes
            report.tornAt = walk.writer.offset
        case .unfinished: break
        }
        let writer = walk.writer
        defer { writer.file.close() }
        if writer.isEmpty {
            report.finished.append(writer.name)
            log.segment = nil
            return try log.startSegment()
        }
        report.sealed = writer.name
        let seal = writer.seal(walk.tree)
        try log.roomy("seal the segment of a crash") { [isDoubtful = walk.isDoubtful] (log) throws(FileError) in
            if isDoubtful { try writer.finishAnew(seal, log.fileSystem, log.home) } else { try writer.finish(seal) }
        }
        log.closeSegment(seal, writer)
        try log.startSegment()
    }

    /// Writes the head again in the slot that is damaged or gone, durable with its name before the whole one is written
    /// over. It vouches for no more than it did: what lies beyond it may not be durable yet.
    private mutating func mendHead(_ damaged: [String], _ log: inout WriteAheadLog) throws(LogError) {
        guard !damaged.isEmpty else { return }
        report.mended += damaged
        log.head.generation += 1
        try disk("write the head again") { [head = log.head] () throws(FileError) in
            try head.store(fileSystem, home, log.identity)
            try fileSystem.synchronizeDirectory(home.path)
        }
    }
}
