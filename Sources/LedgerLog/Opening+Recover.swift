import LedgerModel
import LedgerSystem
import SystemPackage

extension Opening {
    /// Brings the last segment to a state that can be appended to, and finishes what was cut short.
    mutating func recover(
        _ manifest: Manifest, isComplete: Bool, _ lock: any FileLock
    ) throws(LogError) -> WriteAheadLog {
        let sealedBytes = try manifest.sealedBytes(fileSystem, home)
        var walk = try LastSegment(self, manifest)
        let loaded = try disk("read the head") { () throws(FileError) in
            try Head.load(fileSystem, home, manifest.identity)
        }
        try walk.read(head: loaded.head)
        var log = WriteAheadLog(
            root: walk.tree.root, fileSystem: fileSystem, home: home, configuration: configuration, random: random,
            lock: lock, manifest: manifest, segment: walk.writer, sealedBytes: sealedBytes, tree: walk.tree,
            hasher: LeafHasher(manifest.identity),
            head: loaded.head ?? Head(generation: 0, size: 0, root: MerkleTree.emptyRoot))
        if !isComplete {
            report.mended.append("manifest")
            try disk("write the manifest again") { () throws(FileError) in
                try manifest.store(fileSystem, home)
                try fileSystem.synchronizeDirectory(home.path)
            }
        }
        try finish(walk, &log)
        try mendHeads(loaded.damaged, &log)
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
        try disk("seal the segment of a crash") { () throws(FileError) in
            try writer.rewrite(from: walk.doubtfulFrom)
            try writer.finish(seal)
        }
        log.closeSegment(seal, writer)
        try log.startSegment()
    }

    /// Both heads are there and whole afterwards, and say what was recovered.
    private mutating func mendHeads(_ damaged: [String], _ log: inout WriteAheadLog) throws(LogError) {
        report.mended += damaged
        guard !damaged.isEmpty || log.head.size != log.tree.size else { return }
        for _ in 0..<(damaged.isEmpty ? 1 : 2) {
            try log.fatal("note how far the log goes") { (log) throws(FileError) in try log.writeHead() }
        }
        try disk("note how far the log goes") { () throws(FileError) in try fileSystem.synchronizeDirectory(home.path) }
    }
}
