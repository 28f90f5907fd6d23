/// What a person can do next about damage: every such sentence is made here, and names only what there is to type.
enum Advice {
    /// For whoever met damage in passing: a reader, or an opening for writing.
    static let verify = "'ledger verify' shows the extent, and what there is to do about it"

    /// For both copies of the manifest.
    static let restoreManifest =
        "put 'manifest-a' or 'manifest-b' back from a copy of the home; 'ledger verify' tells whether it fits"

    /// What there is without a copy.
    private static let orRepair = "; without a copy, 'ledger repair --dry-run' says whether anything can be saved"

    /// For both slots of the head.
    static let restoreHead =
        "put 'head-a' or 'head-b' back from a copy of the home; 'ledger verify' tells whether it fits" + orRepair

    /// For files whose bytes are not what was written, or that are gone.
    /// - Parameter isReparable: whether a repair may know what to do: it is a segment of the log.
    static func restore(_ name: String, isReparable: Bool = false) -> String {
        "put '\(name)' back from a copy of the home; 'ledger verify' tells whether it fits"
            + (isReparable ? orRepair : "")
    }

    /// For a file that the disk refuses to read.
    /// - Parameter isReparable: as of ``restore(_:isReparable:)``.
    static func readAgain(_ name: String, isReparable: Bool = false) -> String {
        "check the disk, and who may read '\(name)', and verify again; else put it back from a copy of the home"
            + (isReparable ? orRepair : "")
    }

    /// For an end that is gone.
    static func restoreEnd(_ size: UInt64) -> String {
        "put 'log' back from a copy of the home that goes to sequence \(size.grouped); 'ledger verify' tells "
            + "whether it fits" + orRepair
    }

    /// For records that compaction took out.
    static func begin(after size: UInt64) -> String {
        "'ledger replay --from \(size + 1)' begins with what the log holds"
    }

    /// For a checkpoint that lies in what compaction took out.
    static let reachCheckpoint =
        "'ledger verify --archive --against FILE' reads the archive too; else compare with a later checkpoint"

    /// For an archived segment behind one that is gone.
    static func knowStart(isForGood: Bool) -> String {
        "nothing is known to be wrong; "
            + (isForGood
                ? "a copy of the home from before it was dropped tells more"
                : "with the segment before it in the archive, all is computed")
    }

    /// For a checkpoint that lies in what stands in no archive either.
    static let compareLater = "compare with a later checkpoint, or verify a copy of the home from before"

    /// For records that were written anew.
    static let compare = "compare with a copy of the home; what comes before is as it was first recorded"
}
