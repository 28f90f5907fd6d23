import LedgerAPI
import LedgerEngine
import LedgerModel
import LedgerSystem
import LedgerTransfer

/// Makes what is followed, enqueued and kept equal to what the library's plan says.
///
/// Like the pool it remembers only what is on its way: a start after a crash is the same as any other moment.
actor LibraryKeeper {
    /// How many listings are read at once.
    static let readsMax = 4
    /// How long it sleeps at most, so that a wall clock that was set does not make it late.
    static let pauseMax = Duration.seconds(60)
    /// How long it waits before the next look when something was refused: the queue is full, say.
    static let pauseAfterRefusal = Duration.seconds(10)

    private let ledger: Ledger
    private let reconciler: Reconciler
    private let secrets: SecretStore
    private let fetch: ListingFetch
    private let notice: @Sendable (Problem) -> Void
    private nonisolated let wakeup = Wakeup()
    private var reading: [ListingID: Task<Void, Never>] = [:]

    init(
        ledger: Ledger, reconciler: Reconciler, secrets: SecretStore, fetch: ListingFetch,
        notice: @escaping @Sendable (Problem) -> Void
    ) {
        self.ledger = ledger
        self.reconciler = reconciler
        self.secrets = secrets
        self.fetch = fetch
        self.notice = notice
    }

    /// Keeps the library until the task is cancelled or the ledger is closed.
    func run() async {
        let waking = Task { await follow() }
        defer { waking.cancel() }
        while !Task.isCancelled {
            var pause = Self.pauseMax
            do throws(LedgerError) {
                let plan = try await settle()
                let free = max(0, Self.readsMax - reading.count)
                for id in plan.read.filter({ reading[$0] == nil }).prefix(free) { _ = read(id) }
                if let wakeAt = plan.wakeAt {
                    pause = min(pause, max(.zero, ledger.world.clock.now().duration(to: wakeAt) + .milliseconds(1)))
                }
                if !plan.take.isEmpty { pause = min(pause, Self.pauseAfterRefusal) }
            } catch {
                if case .closed = error { break }
                notice(Problem(error))
            }
            await withTaskCancellationHandler {
                await wakeup.wait(atMost: pause, ledger.world.clock)
            } onCancel: {
                wakeup.raise()
            }
        }
        for task in reading.values { task.cancel() }
        for task in reading.values { await task.value }
    }

    /// Reads every listing that is due, and does what follows.
    func catchUp() async throws(LedgerError) {
        let due = try await plan().read
        await withTaskGroup(of: Void.self) { group in
            for (index, id) in due.enumerated() {
                if index >= Self.readsMax { await group.next() }
                group.addTask { await self.refresh(id) }
            }
        }
        try await settle()
    }

    /// Reads a listing now, or waits for who does already.
    func refresh(_ id: ListingID) async { await read(id).value }

    /// Evicts what is too much and enqueues what is wanted.
    /// - Returns: what is left to do: listings to be read, and what was refused.
    @discardableResult
    func settle() async throws(LedgerError) -> LibraryPlan {
        var plan = try await plan()
        if !plan.evict.isEmpty {
            let outcomes = try await ledger.execute(
                plan.evict.map { Submission(.delete($0, .evicted), id: nil, actor: .maintenance) })
            try await reconciler.follow(outcomes.flatMap(\.recordedEvents))
        }
        guard !plan.take.isEmpty else { return plan }
        _ = try await take(plan.take, again: false, id: nil, actor: .feed)
        plan = try await self.plan()
        return plan
    }

    /// Enqueues entries.
    func take(
        _ takes: [LibraryPlan.Take], again: Bool, id: CommandID?, actor: EventActor
    ) async throws(LedgerError) -> [Outcome] {
        let listings = try await ledger.read { $0.library.listings }
        let orders = takes.map { take in listings[take.listing].map { OrderOfEntry(take.entry, of: $0, secrets) } }
        let references: [SecretReference?]
        do throws(FileError) {
            references = try await ledger.world.blocking.run { [secrets] () throws(FileError) in
                try secrets.keep(orders.map { $0?.secrets ?? OrderSecrets() })
            }
        } catch { throw .file(error) }
        defer { secrets.release(references) }
        let submissions = zip(takes, zip(orders, references)).compactMap { take, made -> Submission? in
            guard var order = made.0?.order else { return nil }
            order.secret = made.1 ?? take.entry.secret
            return Submission(
                .library(.take(take.listing, guid: take.entry.guid, order, again: again)), id: id, actor: actor)
        }
        return try await ledger.execute(submissions)
    }

    private func plan() async throws(LedgerError) -> LibraryPlan {
        let now = ledger.world.clock.now()
        return try await ledger.read { $0.libraryPlan(at: now) }
    }

    private func read(_ id: ListingID) -> Task<Void, Never> {
        if let task = reading[id] { return task }
        let task = Task {
            do throws(LedgerError) { try await record(id) } catch {
                if case .closed = error { return }
                notice(Problem(error))
            }
            self.wasRead(id)
        }
        reading[id] = task
        return task
    }

    private func wasRead(_ id: ListingID) {
        reading[id] = nil
        wakeup.raise()
    }

    private nonisolated func record(_ id: ListingID) async throws(LedgerError) {
        guard let followed = try await ledger.read({ $0.library.listings[id] }) else { return }
        let result = await fetch.read(followed)
        // What was cut short by the end of this process is no failure of the origin.
        if Task.isCancelled { return }
        var entries = result.entries
        var references: [SecretReference?] = []
        if let all = entries?.withoutSecretNames {
            do throws(FileError) {
                references = try await ledger.world.blocking.run { [secrets] () throws(FileError) in
                    try secrets.keep(all.map(\.secrets))
                }
            } catch { throw .file(error) }
            entries = zip(all, references).map { $0.recordable($1) }
        }
        defer { secrets.release(references) }
        _ = try await ledger.execute([
            Submission(.library(.refresh(id, entries, result.refresh)), id: nil, actor: .feed)
        ])
    }

    /// Looks again after whatever may have changed the plan.
    private nonisolated func follow() async {
        var batches = ledger.events(after: ledger.lastSequence).makeAsyncIterator()
        do throws(LedgerError) {
            while let batch = try await batches.next() {
                if batch.contains(where: { $0.event.concernsLibrary }) { wakeup.raise() }
            }
        } catch {
            // The next look meets the same error, and tells it.
        }
        wakeup.raise()
    }
}

extension Event {
    /// Whether the library may want something else behind it.
    fileprivate var concernsLibrary: Bool {
        switch self {
        case .completed, .found, .restored, .pinned, .library: true
        case .enqueued, .resolved, .progressed, .verified, .failed, .paused, .resumed, .cancelled, .retried, .moved,
            .changed, .deleted, .missing, .altered, .compacted, .checkpointed, .repaired, .redacted, .blamed,
            .rechecked, .unchanged, .used:
            false
        }
    }
}

extension [ListedEntry] {
    /// The same without secrets in names and pictures: some publishers' guids are signed URLs. Those that are one and
    /// the same then are one entry.
    fileprivate var withoutSecretNames: [ListedEntry] {
        var seen: Set<String> = []
        return compactMap { entry in
            var entry = entry
            entry.guid = redacted(entry.guid)
            entry.thumbnail = entry.thumbnail.map(redacted)
            return seen.insert(entry.guid).inserted ? entry : nil
        }
    }

    private func redacted(_ text: String) -> String {
        guard text.contains("://") else { return text }
        do throws(URLProblem) { return try ResourceURL.parse(text).url.redacted.text } catch { return text }
    }
}

extension ListedEntry {
    /// What of it must not stand in the log.
    fileprivate var secrets: OrderSecrets {
        var secrets = OrderSecrets()
        if url.redacted != url { secrets.url = url.text }
        return secrets
    }

    /// As it may stand in the log.
    fileprivate func recordable(_ secret: SecretReference?) -> ListedEntry {
        var entry = self
        entry.url = url.redacted
        entry.secret = secret
        return entry
    }
}

/// What is ordered when an entry is enqueued.
private struct OrderOfEntry {
    let order: Order
    let secrets: OrderSecrets

    init(_ entry: ListedEntry, of followed: FollowedListing, _ store: SecretStore) {
        let group = followed.group(of: entry)
        let directory = group.flatMap { FileName.safe($0) }.map { followed.listing.directory + "/" + $0 }
        order = Order(
            url: entry.url, destination: Destination(directory: directory ?? followed.listing.directory, name: nil),
            labels: Shared(
                Labels(
                    group: group, title: entry.title, details: entry.details, identifier: entry.guid,
                    published: entry.published)))
        var secrets = entry.secret.flatMap { store.secrets(of: $0) } ?? OrderSecrets()
        // What opens a private feed opens its files, where they are at the same origin.
        if case .url(let url) = followed.listing.source, url.origin == entry.url.origin,
            let own = followed.listing.secret.flatMap({ store.secrets(of: $0) })
        {
            (secrets.credentials, secrets.headers, secrets.bearer) = (own.credentials, own.headers, own.bearer)
        }
        self.secrets = secrets
    }
}
