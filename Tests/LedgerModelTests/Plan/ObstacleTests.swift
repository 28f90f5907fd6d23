import LedgerModel
import LedgerTestSupport
import Testing

/// What stands before a download: each reason alone, and never one where the plan would start it.
struct ObstacleTests {
    private func queue(_ facts: [Fact]) -> Queue {
        var queue = Queue()
        for fact in facts { queue.apply(fact.recorded(after: queue.sequence)) }
        return queue
    }

    private func order(_ name: String, host: String = "a", window: DailyWindow? = nil, notBefore: Timestamp? = nil)
        -> Order
    {
        Fixture.order(name, host: host, notBefore: notBefore, window: window)
    }

    @Test func `each reason is told by itself`() throws {
        let night = try #require(DailyWindow(parsing: "22:00-06:00"))
        let later = Fixture.now.advanced(by: .seconds(60))
        let queue = queue([
            .enqueued(order("x"), priority: 0, rank: 1), .enqueued(order("y"), priority: 0, rank: 2),
            .enqueued(order("z"), priority: 0, rank: 3), .about(3, .paused),
            .enqueued(order("w", notBefore: later), priority: 0, rank: 4),
            .enqueued(order("v", window: night), priority: 0, rank: 5),
            .enqueued(order("u"), priority: 0, rank: 6), .about(7, .failed(Fixture.lost, retryAt: later)),
            .enqueued(order("t"), priority: 0, rank: 7), .about(9, .cancelled),
        ])
        let noon = Fixture.now.advanced(by: .seconds(12 * 3600))
        func obstacles(
            _ id: DownloadID, running: [DownloadID] = [], limits: Limits = Limits(), at now: Timestamp = Fixture.now
        ) -> [Obstacle] {
            queue.obstacles(
                before: id, running: Set(running.compactMap { queue[$0]?.lease }), limits: limits, at: now)
        }
        #expect(obstacles(1) == [] && obstacles(99) == [])
        #expect(obstacles(1, running: [1], limits: Limits(runningMax: 1)) == [])
        #expect(obstacles(3) == [.paused])
        #expect(obstacles(9) == [.ended(.cancelled)])
        #expect(obstacles(5) == [.notBefore(later)])
        #expect(obstacles(7) == [.retry(at: later, Fixture.lost)])
        #expect(
            obstacles(6, at: noon)
                == [.hours(night, isOfAll: false, opensAt: Fixture.now.advanced(by: .seconds(22 * 3600)))])
        var closed = Limits()
        closed.window = night
        #expect(
            obstacles(1, limits: closed, at: noon)
                == [.hours(night, isOfAll: true, opensAt: Fixture.now.advanced(by: .seconds(22 * 3600)))])
        #expect(obstacles(2, limits: Limits(runningMax: 1)) == [.ahead(1)])
        #expect(obstacles(2, running: [1], limits: Limits(runningMax: 1)) == [.limit(runningMax: 1)])
        #expect(
            obstacles(2, running: [1], limits: Limits(runningPerHostMax: 1)) == [.host("a", runningMax: 1)])
    }

    @Test func `there is a reason exactly where the plan starts nothing`() {
        var random = SplitMix64(seed: 7)
        for _ in 0..<200 {
            let facts: [Fact] = (0..<12).map { number in
                .enqueued(
                    order("\(number)", host: ["a", "b", "c"].randomElement(using: &random) ?? "a"),
                    priority: Int32.random(in: 0...1, using: &random), rank: Rank(number))
            }
            let queue = queue(facts)
            let limits = Limits(
                runningMax: .random(in: 1...6, using: &random), runningPerHostMax: .random(in: 1...3, using: &random))
            let running = queue.plan(running: [], limits: Limits(runningMax: 2), at: Fixture.now).start.filter { _ in
                Bool.random(using: &random)
            }
            let plan = queue.plan(running: Set(running), limits: limits, at: Fixture.now)
            for download in queue.downloads {
                let isFree = plan.start.contains(download.lease) || running.contains(download.lease)
                let obstacles = queue.obstacles(
                    before: download.id, running: Set(running), limits: limits, at: Fixture.now)
                #expect(obstacles.isEmpty == isFree, "\(download.id): \(obstacles)")
            }
        }
    }
}
