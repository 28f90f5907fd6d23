package import LedgerModel
import LedgerSystem
package import SystemPackage

/// The names under a ledger's home directory.
package struct LogHome: Hashable, Sendable {
    /// The home itself, mode 0700.
    package let path: FilePath

    /// The file whose lock makes its holder the only writer.
    package let lock: FilePath
    /// The two copies of the manifest.
    package let manifests: [FilePath]
    /// The two slots of the head.
    package let heads: [FilePath]
    /// The space given up when the disk is full.
    package let ballast: FilePath
    /// The directory of segments.
    package let log: FilePath
    /// The directory of snapshots.
    package let snapshots: FilePath
    /// The directory of segments that compaction took out of the log.
    package let archive: FilePath
    /// The trees that archived segments go on from, see `KeptTrees`.
    let trees: FilePath
    /// The directory of what repairs cut off.
    package let quarantine: FilePath
    /// Stands while the files of a backup take their names: until it is gone, this is no ledger.
    let unfinished: FilePath

    /// The names under `path`; the archive may stand elsewhere.
    package init(_ path: FilePath, archive elsewhere: FilePath? = nil) {
        self.path = path
        lock = path.appending("ledger.lock")
        manifests = [path.appending("manifest-a"), path.appending("manifest-b")]
        heads = [path.appending("head-a"), path.appending("head-b")]
        ballast = path.appending("ballast")
        log = path.appending("log")
        snapshots = path.appending("snapshots")
        archive = elsewhere ?? path.appending("archive")
        trees = path.appending("trees")
        quarantine = path.appending("quarantine")
        unfinished = path.appending("unfinished")
    }

    /// Where archived segments may stand, the one that was named first.
    var archives: [FilePath] {
        let own = path.appending("archive")
        return archive == own ? [own] : [archive, own]
    }

    /// What a repair notes until it is on record.
    var pendingRepair: FilePath { quarantine.appending("pending") }

    /// The segment that begins with `first`.
    package func segment(_ first: SequenceNumber) -> FilePath { log.appending(SegmentName.name(first)) }

    /// The snapshot at `sequence`.
    package func snapshot(_ sequence: SequenceNumber) -> FilePath {
        snapshots.appending(SequenceName.name(sequence, "snap"))
    }

    /// Where the packed copy of the segment that begins with `first` stands in the archive.
    package func archived(_ first: SequenceNumber) -> FilePath { archive.appending(SegmentName.name(first) + ".gz") }

    /// What a file is called, besides, until it takes the place it is made for; opening a ledger removes such files.
    static let newSuffix = ".new"

    /// A name for the quarantine, of which no file with this suffix stands there yet.
    func freeQuarantineName(
        _ base: String, suffix: String = "", _ fileSystem: any FileSystem
    ) throws(FileError) -> String {
        var number = 1
        while true {
            let name = number == 1 ? base : base + "-\(number)"
            if try fileSystem.status(of: quarantine.appending(name + suffix)) == nil { return name }
            number += 1
        }
    }

    /// The names of all of these in the home.
    package var names: Set<String> {
        let paths = [lock, ballast, log, snapshots, archive, trees, quarantine, unfinished] + manifests + heads
        return Set(paths.compactMap { $0.lastComponent?.string })
    }

    /// Makes the log's directories in the home where they are missing, and all of them durable: whoever made them may
    /// have been killed before they were.
    func makeDirectories(_ fileSystem: any FileSystem) throws(FileError) {
        let directories = [log, snapshots, archive]
        for directory in directories where try fileSystem.status(of: directory) == nil {
            try fileSystem.createDirectory(directory, permissions: Self.directoryMode)
        }
        for directory in directories + [path] { try fileSystem.synchronizeDirectory(directory) }
    }

    static let fileMode: UInt16 = 0o600
    static let directoryMode: UInt16 = 0o700
}

/// File names made of a sequence: 16 decimal digits (so that they sort), a dot, a suffix.
enum SequenceName {
    static func name(_ sequence: SequenceNumber, _ suffix: String) -> String {
        let digits = String(sequence.rawValue)
        return String(repeating: "0", count: max(0, 16 - digits.count)) + digits + "." + suffix
    }

    /// The sequence of a name that ``name(_:_:)`` made; nil for any other.
    static func sequence(_ name: String, _ suffix: String) -> SequenceNumber? {
        guard name.hasSuffix("." + suffix), let number = UInt64(name.dropLast(suffix.utf8.count + 1)) else {
            return nil
        }
        let sequence = SequenceNumber(number)
        return self.name(sequence, suffix) == name ? sequence : nil
    }
}

/// The name of a segment: the sequence that it begins with.
package enum SegmentName {
    /// `0000000000000001.seg` for 1.
    package static func name(_ first: SequenceNumber) -> String { SequenceName.name(first, "seg") }

    /// The sequence that a segment of this name begins with; nil for any other name.
    package static func first(_ name: String) -> SequenceNumber? { SequenceName.sequence(name, "seg") }

    /// The same for a name in the archive, where segments are packed, or were moved by an earlier version.
    static func archivedFirst(_ name: String) -> SequenceNumber? {
        first(name.hasSuffix(".gz") ? String(name.dropLast(3)) : name)
    }
}
