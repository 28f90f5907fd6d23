import LedgerModel
import LedgerTestSupport
import Testing

/// What a redaction asks for, and what is known of a download after it: nothing.
struct RedactTests {
    private static let first = Fact.enqueued(Fixture.order("secret.iso", host: "secret.example"), rank: Fixture.rank(1))

    @Test func `only what is deleted, and has no file in the trash, is redacted`() {
        let scenario = Scenario(Queue.self).given(Self.first)
        scenario.when(.redact(1, reason: "asked for")).refused(.notDeleted(1))
        scenario.when(.redact(9, reason: "asked for")).refused(.notFound(9))
        let trashed = Scenario(Queue.self).given(
            [Self.first] + PhaseCase.finished.map { .about(1, $0) } + [.about(1, .deleted(.trash(path: "/trash/1")))])
        trashed.when(.redact(1, reason: "asked for")).refused(.inTrash(1))
        trashed.when(.delete(1, .keepFile)).refused(.alreadyDeleted(1))
        trashed.when(.delete(1, .purge)).recorded(.about(1, .deleted(.expired(path: "/trash/1")))) {
            $0[1]?.deletion = Shared(.expired(path: "/trash/1"))
            $0[1]?.epoch += 1
        }
        trashed.given(.about(1, .deleted(.expired(path: "/trash/1")))).when(.redact(1, reason: "asked for"))
            .recorded(.about(1, .redacted(1, reason: "asked for"))) { $0[1] = nil }
            .when(.undo(nil)).refused(.nothingToUndo)
    }

    @Test func `the state that remains is that of the others, its host counted under none`() throws {
        var (state, other) = (LedgerState(), LedgerState())
        let facts: [Fact] = [Self.first] + PhaseCase.finished.map { .about(1, $0) } + [.about(1, .deleted(.purge))]
        for fact in facts { state.apply(fact.recorded(after: state.sequence)) }
        #expect(state.statistics.hosts["secret.example"]?.completed == 1)
        state.apply(Fact.about(1, .redacted(1, reason: "asked for")).recorded(after: state.sequence))
        #expect(state.queue.downloads.isEmpty && state.queue.invariantViolation() == nil)
        #expect(state.catalog == other.catalog, "nothing is left of it")
        #expect(Array(state.statistics.hosts.keys) == ["other"])
        #expect(state.statistics.total.completed == 1)
        other = state
        other.apply(Fact.about(1, .redacted(1, reason: "again")).recorded(after: other.sequence))
        #expect(other.queue.downloads == state.queue.downloads, "a second time changes nothing")
    }

    @Test func `the figures of a host that others come from stay its own`() {
        var state = LedgerState()
        for fact in [
            Self.first, .enqueued(Fixture.order("b", host: "secret.example"), rank: Fixture.rank(2)),
            .about(1, .deleted(.purge)), .about(1, .redacted(1, reason: "asked for")),
        ] { state.apply(fact.recorded(after: state.sequence)) }
        #expect(state.statistics.hosts["secret.example"]?.enqueued == 2)
    }

    @Test(arguments: [true, false])
    func `a past of files longer than any disk is folded: only a forged log holds one`(isPast: Bool) {
        let whole = Event.verified(length: UInt64(Int64.max), sha256: Fixture.digest(), path: "/data/file")
        var state = LedgerState()
        for id in [DownloadID(1), 2, 3] {
            state.apply(Fact.enqueued(Fixture.order("\(id)"), rank: Fixture.rank(1)).recorded(after: state.sequence))
        }
        func fold(_ state: inout LedgerState) {
            for id in [DownloadID(1), 2, 3] {
                for event in [whole, .completed(Fixture.identity(length: UInt64(Int64.max)))] {
                    state.apply(Fact.about(id, event).recorded(after: state.sequence))
                }
            }
        }
        if isPast { state.foldPast { fold(&$0) } } else { fold(&state) }
        #expect(state.catalog.files.count == 3 && state.statistics.total.completed == 3)
        for id in [DownloadID(1), 2, 3] {
            state.apply(Fact.about(id, .deleted(.purge)).recorded(after: state.sequence))
        }
        #expect(state.catalog == LedgerState().catalog)
    }

    @Test func `a past that redacts what was not deleted is folded: only a forged log holds one`() {
        let facts: [Fact] = [Self.first] + PhaseCase.finished.map { .about(1, $0) }
        var state = LedgerState()
        state.foldPast { state in
            for fact in facts + [.about(1, .redacted(1, reason: "forged"))] {
                state.apply(fact.recorded(after: state.sequence))
            }
        }
        #expect(state.queue.downloads.isEmpty && state.catalog == LedgerState().catalog)
    }
}
