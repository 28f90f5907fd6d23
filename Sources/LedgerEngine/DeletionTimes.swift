import LedgerModel

/// When each download was deleted last, as far as the log still tells; read from it when somebody asks, and what was
/// added since then, only.
struct DeletionTimes: Sendable {
    private let home: LedgerHome
    private let world: World
    private var times: [DownloadID: Timestamp] = [:]
    private var end = SequenceNumber.zero

    /// Nothing was read yet.
    init(of home: LedgerHome, _ world: World) {
        self.home = home
        self.world = world
    }

    /// When a download was deleted; nil where the log does not tell any longer, or `isStopped` while it is read.
    /// Blocks.
    /// - Throws: ``LedgerError`` when the log can not be read.
    mutating func time(of id: DownloadID, unless isStopped: () -> Bool) throws(LedgerError) -> Timestamp? {
        var reader = try EventReader(home: home, fileSystem: world.fileSystem, after: end)
        while !isStopped(), let batch = try reader.next() {
            for event in batch.events {
                if case .deleted = event.event, let id = event.id { times[id] = event.time }
            }
            end = batch.last
        }
        return times[id]
    }
}
