#if PLANTED_BUGS
    import Synchronization

    /// Bugs that are put in on purpose, one at a time, so that the proof of durability shows that it would find them.
    ///
    /// They exist only where `LEDGER_PROOF_BUILD` was set for the build (`tools/check --proof`): no release carries
    /// them, and even there none is on until ``plant(_:)``.
    package enum PlantedBug: String, CaseIterable, Sendable {
        case acknowledgedBeforeSync = "acknowledged-before-sync"
        case claimedWithoutSync = "claimed-without-sync"
        case directoryNotSynced = "directory-not-synced"
        case syncRetried = "sync-retried"
        case rangesCapturedAfterSync = "ranges-captured-after-sync"
        case renamedBeforeSync = "renamed-before-sync"
        case unlinkedBeforeDeleted = "unlinked-before-deleted"
        case staleSaltAccepted = "stale-salt-accepted"
        case checksumSkipped = "checksum-skipped"
        case cutAtFirstBadRecord = "cut-at-first-bad-record"
        case compactionUnlinksEarly = "compaction-unlinks-early"
        case snapshotNotSynced = "snapshot-not-synced"
        case clockInFold = "clock-in-fold"
        case eventAppliedTwice = "event-applied-twice"
        case holeInSequence = "hole-in-sequence"
        case lastSegmentLost = "last-segment-lost"
        case failureBesideIgnored = "failure-beside-ignored"

        private static let planted = Atomic(-1)

        /// Turns one on, for this process; nil turns all off.
        package static func plant(_ bug: PlantedBug?) {
            planted.store(bug.flatMap { allCases.firstIndex(of: $0) } ?? -1, ordering: .releasing)
        }

        /// Whether this one is on.
        package var isOn: Bool {
            let place = Self.planted.load(ordering: .acquiring)
            return place >= 0 && Self.allCases[place] == self
        }
    }

    extension Recorded {
        /// The same, recorded when it is read: ``PlantedBug/clockInFold``.
        func readingClock() -> Recorded {
            let (seconds, attoseconds) = ContinuousClock.now.duration(to: .now.advanced(by: .seconds(1))).components
            let time = Timestamp(milliseconds: time.milliseconds &+ seconds &+ attoseconds % 1_000_000_007)
            return Recorded(
                sequence: sequence, time: time, id: id, command: command, actor: actor, event: event)
        }
    }
#endif
