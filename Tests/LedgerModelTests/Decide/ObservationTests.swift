import LedgerModel
import LedgerTestSupport
import Testing

/// What reconciling and maintenance say, in every phase.
struct ObservationTests {
    private static let other = Fixture.identity(inode: 2)
    private static let found = Event.found(Fixture.identity(), sha256: Fixture.digest(), path: "/data/file.iso")

    private static func whileFinished(
        _ observation: Observation, _ completed: Result<Decision, Rejection>, _ missing: Result<Decision, Rejection>,
        _ altered: Result<Decision, Rejection>, location: SourceLocation = #_sourceLocation
    ) -> PhaseRow {
        let not = no(.notCompleted(1))
        return PhaseRow(
            .observe(1, observation), not, not, not, not, completed, missing, altered, not, not, not,
            location: location)
    }

    static let rows: [PhaseRow] = [
        whileFinished(.missing, does(.missing), does(), does(.missing)),
        whileFinished(
            .altered(other, sha256: nil), does(.altered(other, sha256: nil)), does(.altered(other, sha256: nil)), does()
        ),
        whileFinished(
            .altered(other, sha256: Fixture.digest(8)), does(.altered(other, sha256: Fixture.digest(8))),
            does(.altered(other, sha256: Fixture.digest(8))), does()),
        whileFinished(
            .altered(other, sha256: Fixture.digest(9)), does(.altered(other, sha256: Fixture.digest(9))),
            does(.altered(other, sha256: Fixture.digest(9))), does()),
        whileFinished(
            .found(Fixture.identity(), sha256: Fixture.digest(), path: "/data/file.iso"), does(), does(found),
            does(found)),
    ]

    @Test(arguments: rows) func `an observation is recorded when it is news`(_ row: PhaseRow) { row.check() }

    static let maintenance: [PhaseRow] = [
        PhaseRow(.maintain(.compacted(through: 4, archived: true)), adds(.compacted(through: 4, archived: true))),
        PhaseRow(
            .maintain(.checkpointed(size: 4, root: Fixture.digest())),
            adds(.checkpointed(size: 4, root: Fixture.digest()))),
        PhaseRow(.maintain(.repaired(cut: 9, reason: "torn")), adds(.repaired(cut: 9, reason: "torn"))),
        PhaseRow(.maintain(.redacted(3, reason: "asked")), adds(.redacted(3, reason: "asked"))),
    ]

    @Test(arguments: maintenance) func `maintenance is recorded as it was done`(_ row: PhaseRow) { row.check() }
}
