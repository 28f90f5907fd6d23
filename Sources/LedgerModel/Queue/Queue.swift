import DequeModule

/// Every download, in order: the projection that may say no.
///
/// `decide` turns a command into events or refuses it, `apply` folds events, `plan` says what should run. The indexes
/// are functions of the downloads: equality and snapshots leave them out.
package struct Queue: Projection {
    package static let version: UInt16 = 1

    /// How many undoable events are remembered; older ones can no longer be undone.
    package static let undoEntriesMax = 100_000
    /// How many command ids are remembered; an older command that arrives again is executed again.
    package static let commandsMax = 65_536
    /// How many downloads make it worth while to build what is a function of them beside other work.
    package static let manyDownloads = 4096
    /// The distance between the ranks of two downloads enqueued one after the other.
    package static let rankStep: Rank = 1 << 20

    /// Every download, also the finished and the deleted.
    package private(set) var downloads = DownloadTable()
    /// The highest rank ever given.
    package private(set) var rankMax: Rank = 0
    /// The lowest rank ever given.
    package private(set) var rankMin: Rank = 0
    /// The last event folded.
    package private(set) var sequence: SequenceNumber = .zero
    private(set) var undoable: Deque<UndoEntry> = []
    private(set) var answers = RecentAnswers()

    /// Whether the indexes follow the downloads. While a past is folded nobody asks for them; at its end all are built
    /// at once, and the names when they are asked for.
    private(set) var isIndexed = true
    /// Whether ``live`` follows the downloads: while a past is folded, from the first event on that asks for it.
    private var isOrdered = true
    private(set) var live = SortedList<QueueKey>()
    private(set) var ready = LaneIndex<QueueKey>()
    private(set) var waiting = SortedList<WaitingKey>()
    private(set) var waitingByLane = LaneIndex<WaitingKey>()
    /// The hours of queued and waiting downloads, and how many have them.
    private(set) var windows: [DailyWindow: Int] = [:]
    private(set) var publishing: Set<DownloadID> = []
    /// What finds downloads that were not deleted by what they ask for.
    private var namesOnDemand = OnDemand<NameIndexes>()
    /// The live downloads that were told which file to write, by the hash of its path within this process.
    private(set) var places = NewestIndex<Int, DownloadID>()
    /// How many downloads are in each phase.
    package private(set) var counts = PhaseCounts()

    package init() {}

    /// The download with this id; nil when there never was one.
    package subscript(id: DownloadID) -> Download? { downloads[id] }

    /// How the order of the download with this id says to fetch; nil when there never was one.
    package func options(of id: DownloadID) -> Shared<TransferOptions>? {
        guard let place = downloads.index(of: id) else { return nil }
        return downloads[place].order.options
    }

    /// Whether there ever was a download with this id.
    package func contains(_ id: DownloadID) -> Bool { downloads.contains(id) }

    /// How many downloads have a place in the queue.
    package var liveCount: Int { live.count }

    /// The ids of the live downloads, ascending.
    package var liveIDs: [DownloadID] {
        // A step in the order costs as much as some ten rows.
        if liveCount < downloads.count / 10 { return live.map(\.id).sorted() }
        var ids: [DownloadID] = []
        ids.reserveCapacity(liveCount)
        downloads.visit { row in
            if row.value.phase.isLive { ids.append(row.value.id) }
        }
        return ids
    }

    /// Live downloads in the order of the queue.
    package var liveDownloads: some Sequence<Download> { live.lazy.compactMap { downloads[$0.id] } }

    /// Those that failed or were cancelled, by number: nothing is done for them, and there is no file of theirs.
    package var endedDownloads: some Sequence<Download> {
        downloads.lazy.filter { ($0.phase == .failed || $0.phase == .cancelled) && !$0.hasFinishedFile }
    }

    /// What finds downloads that were not deleted by what they ask for. Where nobody asked before, O(downloads).
    var names: NameIndexes { namesOnDemand.of(downloads) }

    /// What this command was answered before; nil when it is new or long past.
    package func answer(to command: CommandID) -> CommandAnswer? { answers[command] }

    /// The newest download that was not deleted, asks for the same, and does with a taken name what the order says;
    /// nil when there is none.
    package func equal(to order: Order) -> Download? {
        // Most orders are for a URL that nothing is from.
        guard names.hold(order.url) else { return nil }
        // What is there, or on its way, comes before what failed since, under other checks perhaps.
        if let same = download(like: order, where: \.phase.isAtHand) ?? download(namedLike: order) { return same }
        if let ended = download(like: order, where: { _ in true }) { return ended }
        // What was fetched without a digest, and turned out to have the one that is asked for now.
        guard let expected = order.expected else { return nil }
        var plain = order
        plain.expected = nil
        return download(like: plain) {
            $0.phase == .completed && $0.file?.value.sha256 == expected
        }
    }

    /// The download that is there, or on its way, from the same URL to the same file, where one of the two was told its
    /// name and the other takes the one that it is given.
    private func download(namedLike order: Order) -> Download? {
        var other = order
        let (name, place) = (order.destination.name, order.destination)
        other.destination = Destination(
            directory: place.directory, name: name == nil ? order.plannedName : nil, collision: place.collision)
        return download(like: other) { download in
            guard let name else {
                return download.phase.isAtHand
                    && download.origin.map { DiskName($0.value.suggestedName) == DiskName(order.plannedName) } ?? true
            }
            return download.phase.isAtHand && download.givenName.map(DiskName.init) == DiskName(name)
        }
    }

    /// The downloads from a URL that were not deleted, the newest first. O(their number); the first such question to a
    /// state that was just opened, O(downloads).
    package func downloads(from url: ResourceURL) -> [Download] {
        names.downloads(from: url).compactMap { downloads[$0] }.filter { $0.order.url == url }
    }

    private func download(like order: Order, where isMeant: (Download) -> Bool) -> Download? {
        let (collision, options) = (order.destination.collision, order.options.value)
        return newest(like: order) { $0.serves(options) && $0.heeds(collision) && isMeant($0) }
    }

    /// The newest completed download that asks for the same, whatever it said about a taken name: its file is ours.
    func completed(like order: Order) -> Download? {
        newest(like: order) { $0.phase == .completed }
    }

    /// The newest download of an order's ``Target`` that was not deleted and is meant.
    private func newest(like order: Order, where isMeant: (Download) -> Bool) -> Download? {
        let target = Target(order)
        // No lazy sequence: it would be a copy of the queue.
        for id in names.downloads(like: order) {
            if let download = downloads[id], Target(download.order) == target, isMeant(download) { return download }
        }
        return nil
    }

    package static func == (one: Queue, other: Queue) -> Bool { one.image == other.image }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(sequence)
        hasher.combine(downloads)
    }
}

extension Queue {
    /// The queue of an image.
    package init(_ image: QueueImage) {
        self.init(unindexed: image)
        _ = followIndexes(by: SerialMap())
    }

    /// The queue of an image, whose indexes stand still until ``followIndexes(by:)``.
    init(unindexed image: QueueImage) {
        (isIndexed, isOrdered) = (false, false)
        sequence = image.sequence
        undoable = Deque(image.undoable)
        rankMax = image.rankMax
        rankMin = image.rankMin
        answers = RecentAnswers(unindexed: image.answers)
        downloads = image.downloads
    }

    /// What a snapshot holds of this queue.
    package var image: QueueImage {
        QueueImage(
            sequence: sequence, downloads: downloads,
            undoable: Array(undoable), answers: Array(answers.all), rankMax: rankMax, rankMin: rankMin)
    }
}

// The only places that change state: every index moves with the download it points to.
extension Queue {
    mutating func store(_ download: Download) {
        rankMax = max(rankMax, download.rank)
        rankMin = min(rankMin, download.rank)
        guard let place = downloads.index(of: download.id) else {
            downloads.append(download)
            return index(download)
        }
        let old = downloads[place]
        downloads[place] = download
        guard old.order == download.order else {
            unindex(old)
            return index(download)
        }
        // What is asked for stays: only its place, or where it stands, may be new.
        if old.key == download.key {
            if old.phase != download.phase { reindex(download, from: old.phase) }
        } else {
            reindex(download, from: old)
        }
    }

    /// Where the download stands that an event is about.
    mutating func place(of event: Recorded) -> DownloadTable.Index? {
        guard let id = event.id else { return nil }
        return downloads.find(id)
    }

    /// Takes downloads out, with what could be undone about them.
    mutating func forget(_ ids: Set<DownloadID>) {
        for id in ids {
            guard let download = downloads.remove(id) else { continue }
            unindex(download)
        }
        undoable.removeAll { ids.contains($0.id) }
    }

    /// Lets the indexes stand still until ``followIndexes(by:)``.
    mutating func suspendIndexes() {
        (isIndexed, isOrdered) = (false, false)
        answers.suspend()
    }

    /// Has ``live`` follow the downloads, if it does not.
    mutating func followOrder() {
        guard !isOrdered else { return }
        isOrdered = true
        var keys = AscendingKeys<QueueKey>()
        downloads.visit { row in
            if row.value.phase.isLive { keys.append(row.value.key) }
        }
        live = keys.list
    }

    /// Builds all indexes but those on demand at once, which costs a fraction of what they cost one download after the
    /// other, in pieces of which `work` may do several at once.
    /// - Returns: the catalog, which is one of these pieces.
    mutating func followIndexes(by work: some WorkMap) -> Catalog {
        (isIndexed, isOrdered) = (true, true)
        answers.follow()
        namesOnDemand = .unbuilt
        var catalog = Catalog()
        let build = { @Sendable [downloads] (piece: BuiltIndexes.Piece) in BuiltIndexes(piece, of: downloads) }
        let pieces = BuiltIndexes.Piece.allCases
        let isWorthThreads = downloads.count >= Self.manyDownloads
        for built in isWorthThreads ? work.map(pieces, build) : pieces.map(build) {
            switch built {
            case .order(let order):
                (counts, publishing, places) = (order.counts, order.publishing, order.places)
                (live, waiting) = (order.live, order.waiting)
            case .lanes(let lanes): (windows, ready, waitingByLane) = (lanes.windows, lanes.ready, lanes.waiting)
            case .files(let files): catalog = files
            }
        }
        return catalog
    }

    /// Lets an event change a download where it stands. What workers and reconciling report changes neither order nor
    /// rank, and most of it not even the phase: a million such events are folded without a copy of a download.
    mutating func report(_ event: Recorded, at place: DownloadTable.Index) {
        guard let phase = downloads[place].phaseLeft(by: event) else { return }
        if isIndexed { return reindex(downloads[place], from: phase) }
        followLife(of: downloads[place].key, from: phase.isLive, to: downloads[place].phase.isLive)
    }

    /// Passes over an event that a newer program wrote and marked as one that this program may ignore.
    mutating func pass(_ sequence: SequenceNumber) {
        precondition(sequence == self.sequence.next, "events are folded once, in order")
        self.sequence = sequence
    }

    mutating func advance(to event: Recorded) {
        pass(event.sequence)
        if let command = event.command { answers.take(command, event.sequence) }
    }

    mutating func remember(_ entry: UndoEntry) {
        if undoable.count == Self.undoEntriesMax { undoable.removeFirst() }
        undoable.append(entry)
    }

    mutating func takeUndo(of sequence: SequenceNumber) -> UndoEntry? {
        guard let index = undoable.lastIndex(where: { $0.sequence == sequence }) else { return nil }
        return undoable.remove(at: index)
    }

    private mutating func index(_ download: Download) {
        guard isIndexed else { return followLife(of: download.key, from: false, to: download.phase.isLive) }
        if download.phase != .deleted { namesOnDemand.change { $0.insert(download.id, download.order) } }
        if download.phase.isLive { takePlace(download) }
        indexPhase(download)
    }

    private mutating func unindex(_ download: Download) {
        guard isIndexed else { return followLife(of: download.key, from: download.phase.isLive, to: false) }
        if download.phase != .deleted { namesOnDemand.change { $0.remove(download.id, download.order) } }
        if download.phase.isLive { leavePlace(download) }
        unindexPhase(download)
    }

    /// Moves the one index that may be asked for while a past is folded.
    private mutating func followLife(of key: QueueKey, from wasLive: Bool, to isLive: Bool) {
        guard isOrdered else { return }
        if wasLive, !isLive { live.remove(key) }
        if !wasLive, isLive { live.insert(key) }
    }

    /// Moves the indexes that go by the phase, and of the others those that the change of phase concerns.
    private mutating func reindex(_ download: Download, from phase: Phase) {
        guard isIndexed else { return followLife(of: download.key, from: phase.isLive, to: download.phase.isLive) }
        var old = download
        old.phase = phase
        guard phase != .deleted, download.phase != .deleted else {
            unindex(old)
            return index(download)
        }
        unindexPhase(old)
        if phase.isLive, !download.phase.isLive { leavePlace(old) }
        if !phase.isLive, download.phase.isLive { takePlace(download) }
        indexPhase(download)
    }

    /// Moves the indexes that go by the place in the order, and no other where it stays what it is.
    private mutating func reindex(_ download: Download, from old: Download) {
        guard old.phase.isLive, download.phase.isLive else {
            unindex(old)
            return index(download)
        }
        guard isIndexed else {
            followLife(of: old.key, from: true, to: false)
            return followLife(of: download.key, from: false, to: true)
        }
        unindexPhase(old)
        live.remove(old.key)
        live.insert(download.key)
        indexPhase(download)
    }

    private mutating func takePlace(_ download: Download) {
        if let path = download.order.destination.path { places.insert(download.id, for: path.hashValue) }
        live.insert(download.key)
    }

    private mutating func leavePlace(_ download: Download) {
        if let path = download.order.destination.path { places.remove(download.id, for: path.hashValue) }
        live.remove(download.key)
    }

    private mutating func indexPhase(_ download: Download) {
        counts[download.phase] += 1
        switch download.phase {
        case .queued: ready.insert(download.key, in: count(download, 1))
        case .waiting(let until):
            let (key, lane) = (WaitingKey(until: until, id: download.id), count(download, 1))
            waitingByLane.insert(key, in: lane)
            waiting.insert(key)
        case .publishing: publishing.insert(download.id)
        case .paused, .completed, .missing, .altered, .failed, .cancelled, .deleted: break
        }
    }

    private mutating func unindexPhase(_ download: Download) {
        counts[download.phase] -= 1
        switch download.phase {
        case .queued: ready.remove(download.key, in: count(download, -1))
        case .waiting(let until):
            let (key, lane) = (WaitingKey(until: until, id: download.id), count(download, -1))
            waitingByLane.remove(key, in: lane)
            waiting.remove(key)
        case .publishing: publishing.remove(download.id)
        case .paused, .completed, .missing, .altered, .failed, .cancelled, .deleted: break
        }
    }

    /// Counts the hours of a queued or waiting download; returns its lane.
    private mutating func count(_ download: Download, _ difference: Int) -> Lane {
        let lane = Lane(download.order)
        guard let window = lane.window else { return lane }
        let count = windows[window, default: 0] + difference
        windows[window] = count == 0 ? nil : count
        return lane
    }
}
