import DequeModule

/// What the trash may hold; what is beyond leaves it for good, the oldest first.
package struct TrashLimits: Hashable, Sendable {
    /// The bytes of all files in it; 0 keeps none.
    package var sizeBytesMax: UInt64
    /// How long a file stays in it, in days; 0 keeps none.
    package var daysMax: UInt32

    /// The most that ``daysMax`` can be: a hundred years of 365 days.
    package static let daysMost: UInt32 = 36_500

    /// Limits; by default 10 GiB and 30 days.
    package init(sizeBytesMax: UInt64 = 10 << 30, daysMax: UInt32 = 30) {
        self.sizeBytesMax = sizeBytesMax
        self.daysMax = daysMax
    }

    /// Until when a file that was deleted at `time` stays, as far as its age goes.
    package func end(ofDeletionAt time: Timestamp) -> Timestamp { time.advanced(by: .seconds(86_400 * Int64(daysMax))) }
}

extension Queue {
    /// The downloads whose files are in the trash and may not stay there, the oldest first: those that were there for
    /// too long, and the oldest of those that are too much together.
    ///
    /// A file whose age is not known, for its deletion is not among what can be undone any more, stays for as long as
    /// there is room: the ledger forgets it by the number of events, and its owner was promised days. O(downloads),
    /// where any of them is deleted.
    package func expiring(under limits: TrashLimits, at now: Timestamp) -> [DownloadID] {
        guard counts[.deleted] > 0 else { return [] }
        var entries: [DownloadID: UndoEntry] = [:]
        for entry in undoable where entry.inverse.isRestoring { entries[entry.id] = entry }
        let trashed = downloads.lazy.compactMap { Trashed($0, entries[$0.id]) }.sorted { $0.age < $1.age }
        var bytes = trashed.reduce(UInt64(0)) { $0.addingReportingOverflow($1.bytes).partialValue }
        return trashed.filter { file in
            let isOver = file.time.map { limits.end(ofDeletionAt: $0) <= now } ?? (limits.daysMax == 0)
            guard isOver || bytes > limits.sizeBytesMax else { return false }
            bytes &-= file.bytes
            return true
        }.map(\.id)
    }

    /// When downloads were deleted whose deletion is remembered to be undone, though the log may not tell it any
    /// longer. O(what can be undone).
    package var deletionTimes: [DownloadID: Timestamp] {
        var times: [DownloadID: Timestamp] = [:]
        for entry in undoable where entry.inverse.isRestoring { times[entry.id] = entry.time }
        return times
    }

    /// What the trash holds. O(downloads), where any of them is deleted.
    package var trashUsage: Catalog.Usage {
        guard counts[.deleted] > 0 else { return Catalog.Usage() }
        return downloads.lazy.filter(\.isInTrash).reduce(into: Catalog.Usage()) { usage, download in
            usage.files += 1
            usage.bytes &+= download.file?.value.length ?? 0
        }
    }

    /// Lets the file of a deleted download leave the trash.
    func expire(_ id: DownloadID) throws(Rejection) -> Decision {
        guard let download = downloads[id] else { throw .notFound(id) }
        guard download.phase == .deleted, case .trash(let path)? = download.deletion?.value else {
            throw .notInTrash(id)
        }
        return Decision([.init(id, .deleted(.expired(path: path)))])
    }
}

extension Download {
    /// Whether it is deleted, and its file stands where an undo finds it.
    var isInTrash: Bool {
        guard phase == .deleted, file != nil, case .trash? = deletion?.value else { return false }
        return true
    }

    /// Whether a deletion of it was undone: its file is back from the trash, or still there.
    package var wasBroughtBack: Bool {
        guard phase == .completed || phase == .altered, case .trash? = deletion?.value else { return false }
        return true
    }
}

/// The file of a deleted download, in the trash.
private struct Trashed {
    let id: DownloadID
    let bytes: UInt64
    /// When it came there; nil when that is not known.
    let time: Timestamp?
    /// Lower is older.
    let age: SequenceNumber

    /// Nil for a download that has no file there.
    init?(_ download: Download, _ entry: UndoEntry?) {
        guard download.isInTrash, let file = download.file?.value else { return nil }
        if case .restore(.missing)? = entry?.inverse { return nil }
        id = download.id
        bytes = file.identity?.length ?? file.length
        time = entry?.time
        age = entry?.sequence ?? .zero
    }
}
