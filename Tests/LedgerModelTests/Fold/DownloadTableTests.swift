import LedgerModel
import LedgerTestSupport
import Testing

/// The table of downloads, held against a dictionary.
struct DownloadTableTests {
    private static let order = Order(
        url: ResourceURL(recorded: "http://a/"), destination: Destination(directory: "/d", name: nil))

    private func download(_ id: UInt64, rank: Rank = 0) -> Download {
        Download(
            id: DownloadID(id), order: Self.order, phase: .queued, priority: 0, rank: rank, addedAt: .epoch)
    }

    @Test(arguments: [1, 2, 3, 4, 5] as [UInt64])
    func `it holds what a dictionary holds, in order`(seed: UInt64) {
        var chance = SplitMix64(seed: seed)
        var (table, wanted, next) = (DownloadTable(), [UInt64: Download](), UInt64(0))
        for step in 0..<4000 {
            switch Int.random(in: 0..<10, using: &chance) {
            case 0..<6:
                // Some in a row, some far apart, and now and then one that is there already.
                next += Bool.random(using: &chance) ? 1 : UInt64.random(in: 1...50, using: &chance)
                #expect(table.update(download(next)) == nil)
                wanted[next] = download(next)
            case 6, 7:
                guard let id = wanted.keys.sorted().randomElement(using: &chance) else { continue }
                let changed = download(id, rank: Rank(step))
                #expect(table.update(changed) == wanted.updateValue(changed, forKey: id))
            case 8:
                let id = UInt64.random(in: 1...max(1, next), using: &chance)
                #expect(table.remove(DownloadID(id)) == wanted.removeValue(forKey: id))
            default:
                let id = UInt64.random(in: 1...next + 2, using: &chance)
                #expect(table[DownloadID(id)] == wanted[id])
                #expect(table.contains(DownloadID(id)) == (wanted[id] != nil))
            }
        }
        let sorted = wanted.values.sorted { $0.id < $1.id }
        #expect(Array(table) == sorted && table.count == sorted.count)
        #expect(Array(table.ids) == sorted.map(\.id))
        #expect(Array(table.reversed()) == sorted.reversed())
        #expect(table == DownloadTable(ascending: sorted))
        for id in [0, 1, next / 2, next - 1, next, next + 1] {
            #expect(table.after(DownloadID(id)).map(\.id) == sorted.map(\.id).filter { $0.rawValue > id })
            #expect(table.before(DownloadID(id)).map(\.id) == sorted.map(\.id).filter { $0.rawValue < id })
        }
    }

    @Test func `a copy stays what it was`() {
        let many = UInt64(DownloadTable.pageRowsMax) * 3
        var table = DownloadTable(ascending: (1...many).map { download($0) })
        let copy = table
        for id in stride(from: 1, through: many, by: 7) { table.update(download(id, rank: 9)) }
        table.remove(DownloadID(many))
        #expect(copy == DownloadTable(ascending: (1...many).map { download($0) }))
        #expect(copy != table)
    }

    @Test func `each keeps the bytes of its own directory`() {
        // Equal to Swift, and two directories to a disk.
        let directories = ["/d/caf\u{e9}", "/d/cafe\u{301}", "/d/cafe\u{301}", "/d/caf\u{e9}"]
        var queue = Queue()
        for (number, directory) in directories.enumerated() {
            queue.apply(
                Recorded(
                    sequence: SequenceNumber(UInt64(number + 1)), time: .epoch, id: DownloadID(UInt64(number + 1)),
                    command: nil, actor: .cli,
                    event: .enqueued(
                        Fixture.order("\(number)", directory: directory), priority: 0, rank: Rank(number))))
        }
        #expect(
            queue.downloads.map { Array($0.order.destination.directory.utf8) } == directories.map { Array($0.utf8) })
    }

    @Test func `nothing is in an empty one`() {
        let table = DownloadTable()
        #expect(table.isEmpty && table[DownloadID(1)] == nil && table.after(DownloadID(0)).isEmpty)
        #expect(table.before(DownloadID(9)).isEmpty && Array(table.ids).isEmpty)
    }

    @Test func `a row of a long queue stays small`() {
        // A million of them are kept in memory: what most downloads do not have stands in a box beside them.
        #expect(MemoryLayout<Download>.stride <= 256, "\(MemoryLayout<Download>.stride) bytes")
    }
}
