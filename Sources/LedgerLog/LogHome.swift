package import LedgerModel
package import SystemPackage

/// The names under a ledger's home directory.
package struct LogHome: Hashable, Sendable {
    /// The home itself, mode 0700.
    package let path: FilePath

    /// The names under `path`.
    package init(_ path: FilePath) { self.path = path }

    /// The file whose lock makes its holder the only writer.
    package var lock: FilePath { path.appending("ledger.lock") }
    /// The two copies of the manifest.
    package var manifests: [FilePath] { [path.appending("manifest-a"), path.appending("manifest-b")] }
    /// The two slots of the head.
    package var heads: [FilePath] { [path.appending("head-a"), path.appending("head-b")] }
    /// The space given up when the disk is full.
    package var ballast: FilePath { path.appending("ballast") }
    /// The directory of segments.
    package var log: FilePath { path.appending("log") }
    /// The directory of snapshots.
    package var snapshots: FilePath { path.appending("snapshots") }
    /// The directory of segments that compaction took out of the log.
    package var archive: FilePath { path.appending("archive") }

    /// The segment that begins with `first`.
    package func segment(_ first: SequenceNumber) -> FilePath { log.appending(SegmentName.name(first)) }

    /// The snapshot at `sequence`.
    package func snapshot(_ sequence: SequenceNumber) -> FilePath {
        snapshots.appending(SequenceName.name(sequence, "snap"))
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
}
