import LedgerModel
import LedgerSystem
import LedgerTestSupport
import Synchronization
import Testing

@testable import LedgerLog

/// A compaction that takes segments away while somebody reads them.
struct CompactionBesideTests {
    private let disk = SimulatedDisk()

    /// A log of three finished segments of one record each, and what takes the first of them out.
    private func log() throws -> Mutex<WriteAheadLog> {
        var log = try openLog(disk)
        for number in 1...3 {
            _ = log.stage(.sample(number))
            try log.commit(at: .epoch)
            try log.rotate()
        }
        return Mutex(log)
    }

    private static func drop(_ log: borrowing Mutex<WriteAheadLog>, through last: UInt64, archiving: Bool) {
        log.withLock { log in
            do throws(LogError) {
                let last = SequenceNumber(last)
                _ = try log.drop(through: last, archiving: archiving, snapshot: last)
            } catch { Issue.record("\(error)") }
        }
    }

    @Test(arguments: [true, false])
    func `the tree before a segment is found though the one before it left meanwhile`(archiving: Bool) throws {
        let meeting = MeetingFileSystem(disk)
        let log = Box(try log())
        var reader = try LogReader(home: home, fileSystem: meeting, verifying: .roots)
        #expect(try reader.next()?.last == 1)
        meeting.before(opening: LogHome(home).segment(2)) { Self.drop(log.log, through: 1, archiving: archiving) }
        #expect(try reader.next()?.last == 2)
        #expect(try reader.next()?.last == 3)
        #expect(try reader.next() == nil)
    }

    @Test func `the head is told though the last segment left while it was read`() throws {
        let meeting = MeetingFileSystem(disk)
        let log = Box(try log())
        let root = try log.log.withLock { log throws(LogError) in
            _ = log.stage(.sample(4))
            try log.commit(at: .epoch)
            return log.root
        }
        meeting.before(opening: LogHome(home).segment(4)) {
            log.log.withLock { log in
                do throws(LogError) { try log.rotate() } catch { Issue.record("\(error)") }
            }
            Self.drop(log.log, through: 4, archiving: true)
        }
        var prover = try LogProver(home: home, fileSystem: meeting)
        let head = try prover.head()
        #expect(head.size == 4 && head.root == root)
    }

    /// A log that a closure can hold.
    private final class Box: Sendable {
        let log: Mutex<WriteAheadLog>

        init(_ log: consuming Mutex<WriteAheadLog>) { self.log = log }
    }
}
