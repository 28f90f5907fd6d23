package import LedgerModel
package import LedgerSystem
package import SystemPackage

extension Manifest {
    /// What a manifest would say of an archive that stands alone: a directory that holds the segments which compactions
    /// took out of a log, from its first on, and nothing that vouches for them but each other. Nil when it holds none.
    /// - Throws: ``LogError``: `.missing` when one is not there, `.corrupted`, `.tampered`, `.newerFormat`, `.io`.
    static func ofArchive(_ directory: FilePath, _ fileSystem: any FileSystem) throws(LogError) -> Manifest? {
        let home = LogHome(directory, archive: directory)
        var manifest: Manifest?
        for first in try archivedSegments(in: directory, fileSystem) {
            let path = try disk("look into the archive") { () throws(FileError) in
                try home.archivedCopy(first, fileSystem) ?? home.archived(first)
            }
            let next = manifest?.segments.last?.last.next ?? SequenceNumber(1)
            guard first == next else { throw .missing(SegmentName.name(next) + ".gz") }
            let (file, header) = try SegmentFile.read(fileSystem, path, .read)
            var grown = manifest ?? Manifest(identity: header.identity)
            if manifest == nil { grown.segments = [] }
            defer { file.close() }
            let segment = SegmentFile(file: file, header: header, name: path.lastComponent?.string ?? "")
            try segment.check(
                identity: grown.identity, first: first, ordinal: grown.segments.count + 1,
                previousSeal: grown.segments.last?.seal)
            guard let seal = try disk("read a seal", { () throws(FileError) in try segment.seal() }) else {
                throw LogError(
                    .corrupted, "the seal at the end of '\(segment.name)' is damaged", file: segment.name,
                    next: "take another copy of it")
            }
            grown.segments.append(
                Entry(
                    first: first, count: seal.count, state: .archived, root: seal.tree.root,
                    seal: seal.digest(header)))
            manifest = grown
        }
        return manifest
    }

    /// The sequences that the segments in a directory begin with, in ascending order.
    /// - Throws: ``LogError``: `.io`.
    package static func archivedSegments(
        in directory: FilePath, _ fileSystem: any FileSystem
    ) throws(LogError) -> [SequenceNumber] {
        let names = try disk("look for an archive") { () throws(FileError) in
            try fileSystem.status(of: directory)?.kind == .directory ? fileSystem.list(directory) : []
        }
        return Set(names.compactMap(SegmentName.archivedFirst)).sorted()
    }
}
