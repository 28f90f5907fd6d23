import LedgerModel
import LedgerTestSupport
import Testing

/// Changes of an order: what a worker takes up on its way, and what makes it begin anew.
struct ChangeTests {
    private static let first = Fact.enqueued(Fixture.order(), rank: Fixture.rank(1))

    private static func options(_ body: (inout TransferOptions) -> Void) -> Order {
        var (order, options) = (Fixture.order(), TransferOptions())
        body(&options)
        order.options = Shared(options)
        return order
    }

    /// Changes of limits and hours, with the order after each.
    static let limits: [(OrderChange, Order)] = [
        (Fixture.change { $0.bytesPerSecondMax = .set(1000) }, options { $0.bytesPerSecondMax = 1000 }),
        (Fixture.change { $0.retriesMax = 9 }, options { $0.retriesMax = 9 }),
        (Fixture.change { $0.silenceMillisecondsMax = 50 }, options { $0.silenceMillisecondsMax = 50 }),
        (Fixture.change { $0.rangesMax = 2 }, options { $0.rangesMax = 2 }),
        (
            Fixture.change { $0.window = DailyWindow(parsing: "22:00-06:00").map { .set($0) } },
            options { $0.window = DailyWindow(parsing: "22:00-06:00") }
        ),
    ]

    @Test(arguments: limits.indices) func `limits and hours leave the worker its lease, also undone`(_ index: Int) {
        let (change, order) = Self.limits[index]
        Scenario(Queue.self).given(Self.first).when(.change(1, change)).recorded(.about(1, .changed(order))) {
            $0[1]?.order = order
        }
        .when(.undo(nil)).recorded(.about(1, .restored(undoing: 2))) { $0[1]?.order = Fixture.order() }
    }

    @Test func `a limit is taken off again, and what changes nothing is no event`() {
        let limited = Self.options { $0.bytesPerSecondMax = 1000 }
        let scenario = Scenario(Queue.self).given(.enqueued(limited, rank: Fixture.rank(1)))
        scenario.when(.change(1, Fixture.change { $0.bytesPerSecondMax = .set(1000) })).recorded()
        scenario.when(.change(1, Fixture.change { $0.bytesPerSecondMax = .unset }))
            .recorded(.about(1, .changed(Fixture.order()))) { $0[1]?.order = Fixture.order() }
    }

    @Test func `another URL makes the worker begin anew, and forgives its sources`() {
        let blamed = Event.blamed(Fixture.order("x").url, Failure(.status, "404", isRetryable: false))
        Scenario(Queue.self).given(Self.first, .about(1, blamed))
            .when(.change(1, Fixture.change { $0.source = .init(url: Fixture.order("b").url) }))
            .recorded(.about(1, .changed(Fixture.order("b")))) {
                $0[1]?.order = Fixture.order("b")
                $0[1]?.changePast { $0.partStem = Fixture.order().plannedName }
                $0[1]?.blamed = nil
                $0[1]?.epoch = 1
            }
    }

    @Test func `another URL leaves a part its name`() {
        let resolved = Event.resolved(Fixture.origin(), generation: 1)
        let order = Fixture.order("b")
        Scenario(Queue.self).given(Self.first, .about(1, resolved))
            .when(.change(1, Fixture.change { $0.source = .init(url: order.url) }))
            .recorded(.about(1, .changed(order))) {
                $0[1]?.changePast { $0.partStem = Fixture.order().plannedName }
                $0[1]?.order = order
                $0[1]?.epoch = 1
            }
            .when(.undo(nil)).recorded(.about(1, .restored(undoing: 3))) {
                $0[1]?.changePast { $0.partStem = nil }
                $0[1]?.order = Fixture.order()
                $0[1]?.epoch = 2
            }
    }

    @Test func `one command changes order and priority, and one undo takes both back`() throws {
        var queue = Queue()
        queue.apply(Self.first.recorded(after: queue.sequence))
        let change = Fixture.change {
            $0.retriesMax = 9
            $0.priority = 3
        }
        let before = queue[1]
        let command = CommandID(high: 1, low: 1)
        for proposed in try queue.decide(.change(1, change), at: Fixture.now).events {
            queue.apply(proposed.recorded(after: queue.sequence, at: Fixture.now, command: command))
        }
        #expect(queue[1]?.priority == 3 && queue[1]?.order.options.value.retriesMax == 9)
        for proposed in try queue.decide(.undo(nil), at: Fixture.now).events {
            queue.apply(proposed.recorded(after: queue.sequence, at: Fixture.now))
        }
        #expect(queue[1] == before)
    }

    @Test func `what waits to be tried again waits for a later instant too`() {
        let (soon, late) = (Fixture.now.advanced(by: .seconds(5)), Fixture.now.advanced(by: .seconds(50)))
        let order = Fixture.order(notBefore: late)
        Scenario(Queue.self).given(Self.first, .about(1, .failed(Fixture.lost, retryAt: soon)))
            .when(.change(1, Fixture.change { $0.notBefore = late })).recorded(.about(1, .changed(order))) {
                $0[1]?.order = order
                $0[1]?.phase = .waiting(until: late)
                $0[1]?.epoch = 2
            }
    }

    @Test func `what is there is called otherwise, also undone, and nothing else of it changes`() {
        let file = Fixture.identity(length: 3, inode: 1)
        var named = Fixture.order()
        named.labels = Shared(Labels(group: "b", title: "t", tags: ["x"]))
        let change = Fixture.change {
            ($0.labels.group, $0.labels.title, $0.labels.tags) = (.set("b"), .set("t"), ["x"])
        }
        let scenario = Scenario(Queue.self).given(
            Self.first, .about(1, .found(file, sha256: Fixture.digest(1), path: "/data/a")))
        scenario.when(.change(1, change)).recorded(.about(1, .changed(named))) { $0[1]?.order = named }
            .when(.undo(nil)).recorded(.about(1, .restored(undoing: 3))) { $0[1]?.order = Fixture.order() }
        scenario.when(.change(1, Fixture.change { $0.labels.details = .unset })).recorded()
        let both = Fixture.change { ($0.labels.title, $0.retriesMax) = (.set("t"), 1) }
        scenario.when(.change(1, both)).refused(.alreadyCompleted(1))
    }
}
