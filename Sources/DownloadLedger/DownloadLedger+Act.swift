import LedgerAPI
import LedgerHolder
import LedgerModel

// What can be done to downloads: each is one durable step, for one or for a million, and is on record when it returns.
extension DownloadLedger {
    /// Lets downloads wait until they are resumed. What is durable of them stays: all but about the last second.
    ///
    /// ```swift
    /// try await ledger.pause(.all)
    /// try await ledger.resume(.where { $0.group == "course" })
    /// ```
    /// - Throws: ``DownloadError``: `disk` or `disk-full` when it could not be recorded, `closed`. What a download that
    ///   was named refuses is no error but stands in ``DownloadOutcomes/refused``.
    @discardableResult
    public func pause(_ selection: DownloadSelection) async throws(DownloadError) -> DownloadOutcomes {
        try await act(.pause, on: selection)
    }

    /// Lets paused downloads go on, each from its last durable byte.
    /// - Throws: as ``pause(_:)-(DownloadSelection)``.
    @discardableResult
    public func resume(_ selection: DownloadSelection) async throws(DownloadError) -> DownloadOutcomes {
        try await act(.resume, on: selection)
    }

    /// Gives downloads up that have not been completed, and removes what was received; failed ones, too.
    ///
    /// ```swift
    /// let outcomes = try await ledger.cancel(.ids([first, second]))
    /// for (id, error) in outcomes.refused { show("\(id): \(error.message)") }
    /// ```
    /// - Throws: as ``pause(_:)-(DownloadSelection)``.
    @discardableResult
    public func cancel(_ selection: DownloadSelection) async throws(DownloadError) -> DownloadOutcomes {
        try await act(.cancel, on: selection)
    }

    /// Fetches after all what failed, was cancelled, is gone or was changed; what waits for a retry is tried at once.
    ///
    /// ```swift
    /// try await ledger.retry(.where { $0.state == .failed && $0.error?.category == .network })
    /// ```
    /// - Throws: as ``pause(_:)-(DownloadSelection)``.
    @discardableResult
    public func retry(_ selection: DownloadSelection) async throws(DownloadError) -> DownloadOutcomes {
        try await act(.retry, on: selection)
    }

    /// Removes downloads, running ones too, and does with their files what `file` says.
    ///
    /// ```swift
    /// try await ledger.delete(.where { $0.tags.contains("seen") }, file: .purge)
    /// ```
    ///
    /// Recorded before any file is touched, so that a crash between the two is made up for at the next start. Only the
    /// file that was fetched goes: another one that came to stand in its place stays.
    /// - Throws: as ``pause(_:)-(DownloadSelection)``.
    @discardableResult
    public func delete(
        _ selection: DownloadSelection, file: FileFate = .trash
    ) async throws(DownloadError) -> DownloadOutcomes {
        try await act(.delete(file.action), on: selection)
    }

    /// Moves downloads in the queue. What runs goes on; what waits is begun in the new order.
    ///
    /// ```swift
    /// try await ledger.move(.ids([second]), to: .first)
    /// try await ledger.move(.where { $0.group == "course" }, to: .priority(10))
    /// ```
    /// - Throws: as ``pause(_:)-(DownloadSelection)``.
    @discardableResult
    public func move(
        _ selection: DownloadSelection, to place: QueuePlace
    ) async throws(DownloadError) -> DownloadOutcomes {
        try await act(.move(place.placement), on: selection)
    }

    /// Undoes what the last call did that can be undone: a deletion (its file comes back), a cancellation, a pause, a
    /// resumption, a move. Called again, it undoes what came before; also what was done before the last start.
    ///
    /// ```swift
    /// try await ledger.delete(handle.id)
    /// try await ledger.undo()
    /// ```
    ///
    /// A file is in the trash for ``LedgerConfiguration/trashDaysMax`` days, unless
    /// ``LedgerConfiguration/trashBytesMax`` is reached before; what left it is passed over.
    /// - Returns: the downloads that it was undone for.
    /// - Throws: ``DownloadError``: `refused` when there is nothing to undo; `destination-taken` when another download
    ///   writes there now; `disk`, `disk-full`, `closed`.
    @discardableResult
    public func undo() async throws(DownloadError) -> [Download] {
        do throws(Problem) {
            let answers = try await service.undo(nil, command: newCommand)
            if let refusal = answers.lazy.compactMap(\.refusal).first { throw refusal }
            return answers.compactMap(\.row).map(Download.init)
        } catch { throw DownloadError(error) }
    }

    /// Removes everything that belongs to a group. ``undo()`` brings all of it back.
    ///
    /// ```swift
    /// try await ledger.deleteAll(in: "course")
    /// ```
    /// - Throws: as ``pause(_:)-(DownloadSelection)``.
    @discardableResult
    public func deleteAll(
        in group: String, file: FileFate = .trash
    ) async throws(DownloadError) -> DownloadOutcomes {
        var query = DownloadQuery()
        query.groups = [group]
        return try await delete(.matching(query), file: file)
    }

    func act(_ action: Action, on selection: DownloadSelection) async throws(DownloadError) -> DownloadOutcomes {
        do throws(Problem) {
            let answers = try await service.act(action, on: try await chosen(by: selection), command: newCommand)
            var refused: [Download.ID: DownloadError] = [:]
            if case .ids = selection.choice {
                for answer in answers {
                    guard let id = answer.id, let refusal = answer.refusal else { continue }
                    refused[Download.ID(id.rawValue)] = DownloadError(refusal)
                }
            }
            return DownloadOutcomes(done: answers.compactMap(\.row).map(Download.init), refused: refused)
        } catch { throw DownloadError(error) }
    }

    private func chosen(by selection: DownloadSelection) async throws(Problem) -> Selection {
        switch selection.choice {
        case .all: return .all
        case .ids(let ids): return .ids(ids.map { DownloadID($0.rawValue) })
        case .matching(let query): return .ids(try await rows(query).map(\.id))
        case .meeting(let isMeant):
            return .ids(try await service.list(ListQuery()).filter { isMeant(Download($0)) }.map(\.id))
        }
    }
}

// The same for one download: what is refused is thrown.
extension DownloadLedger {
    /// Lets a download wait until it is resumed.
    ///
    /// ```swift
    /// try await ledger.pause(handle.id)
    /// let download = try await ledger.resume(handle.id)
    /// ```
    /// - Returns: the download as it is then.
    /// - Throws: ``DownloadError``: `not-found`; `refused` when it can not be done to it, as it was done or has ended;
    ///   `disk`, `disk-full`, `closed`.
    @discardableResult
    public func pause(_ id: Download.ID) async throws(DownloadError) -> Download {
        try await one(id, pause(.ids([id])))
    }

    /// Lets a paused download go on, from its last durable byte.
    /// - Throws: as ``pause(_:)-(Download.ID)``.
    @discardableResult
    public func resume(_ id: Download.ID) async throws(DownloadError) -> Download {
        try await one(id, resume(.ids([id])))
    }

    /// Gives a download up that has not been completed, and removes what was received.
    /// - Throws: as ``pause(_:)-(Download.ID)``.
    @discardableResult
    public func cancel(_ id: Download.ID) async throws(DownloadError) -> Download {
        try await one(id, cancel(.ids([id])))
    }

    /// Fetches after all what failed, was cancelled, is gone or was changed; what waits for a retry is tried at once.
    ///
    /// ```swift
    /// if download.error?.isRetryable ?? false { try await ledger.retry(download.id) }
    /// ```
    /// - Throws: as ``pause(_:)-(Download.ID)``; also `destination-taken`, `queue-full`.
    @discardableResult
    public func retry(_ id: Download.ID) async throws(DownloadError) -> Download {
        try await one(id, retry(.ids([id])))
    }

    /// Removes a download, and does with its file what `file` says.
    ///
    /// ```swift
    /// try await ledger.delete(handle.id, file: .keep)
    /// ```
    /// - Throws: as ``pause(_:)-(Download.ID)``.
    @discardableResult
    public func delete(_ id: Download.ID, file: FileFate = .trash) async throws(DownloadError) -> Download {
        try await one(id, delete(.ids([id]), file: file))
    }

    /// Moves a download in the queue.
    ///
    /// ```swift
    /// try await ledger.move(handle.id, to: .index(2))
    /// ```
    /// - Throws: as ``pause(_:)-(Download.ID)``; `refused` when it has ended.
    @discardableResult
    public func move(_ id: Download.ID, to place: QueuePlace) async throws(DownloadError) -> Download {
        try await one(id, move(.ids([id]), to: place))
    }

    func one(_ id: Download.ID, _ outcomes: DownloadOutcomes) throws(DownloadError) -> Download {
        if let done = outcomes.done.first { return done }
        throw outcomes.refused[id] ?? DownloadError("not-found", "there is no download \(id)")
    }
}

extension FileFate {
    fileprivate var action: Action.FileFate {
        switch self {
        case .trash: .trash
        case .keep: .keep
        case .purge: .purge
        }
    }
}

extension QueuePlace {
    fileprivate var placement: Placement {
        switch self {
        case .first: .first
        case .last: .last
        case .index(let index): .index(index)
        case .priority(let priority): .priority(priority)
        }
    }
}
