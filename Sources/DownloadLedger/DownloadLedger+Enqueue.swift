import Crypto
public import FoundationEssentials
import LedgerAPI
import LedgerEngine
import LedgerHolder
import LedgerModel
import SystemPackage

extension DownloadLedger {
    /// Enqueues a download; returns once that is durable. An equal one that is in the ledger already is joined: one
    /// transfer, one file, for all who asked.
    ///
    /// ```swift
    /// let handle = try await ledger.enqueue(url, options: DownloadOptions(group: "course", title: "Lesson 1"))
    /// let file = try await handle.value
    /// ```
    ///
    /// Equal are downloads of one URL into one place; one that failed or was cancelled is then fetched after all, as it
    /// is asked for now, and one that is deleted is not joined. One file is one download, too: whatever other URL is
    /// asked for under a given name that is being written joins what is written there, and is not fetched. Then
    /// ``DownloadHandle/isJoined`` says so, and ``Download/url`` which it is; give another name to keep both.
    /// - Parameters:
    ///   - url: `http` or `https`, 8192 bytes at most; `user:password@` in it is taken as credentials and kept out of
    ///     the log.
    ///   - destination: a directory (it ends with `/`) or a file; nil lets ``LedgerConfiguration/directory`` and
    ///     ``LedgerConfiguration/naming`` say: without them the directory `downloads` of the ledger's own, since a
    ///     temporary one would not outlive what is kept of it.
    ///   - options: what else is asked for.
    /// - Throws: ``DownloadError``: `bad-url`, `bad-destination`, `usage` (an option that can not be, or more than
    ///   32 KiB of labels), `refused` (more than 1 MiB of texts, or a value that can not be recorded), `queue-full`,
    ///   `destination-taken`, `disk`, `disk-full`, `closed`. Nothing was recorded then.
    public func enqueue(
        _ url: URL, to destination: URL? = nil, options: DownloadOptions = DownloadOptions()
    ) async throws(DownloadError) -> DownloadHandle {
        let answers = try await enqueue([DownloadRequest(url, to: destination, options: options)])
        guard let answer = answers.first else { preconditionFailure("there is one answer for each request") }
        return try answer.get()
    }

    /// Enqueues many downloads in one durable step, or, beyond 32 MiB of events (more than 100,000 downloads), in
    /// several; one answer for each, in order. What one is refused for holds up no other.
    ///
    /// ```swift
    /// let answers = try await ledger.enqueue(urls.map { DownloadRequest($0) })
    /// for case .failure(let error) in answers { show(error.message) }
    /// ```
    /// - Throws: ``DownloadError``: `disk`, `disk-full`, `closed`. Nothing was recorded then. What a single one can be
    ///   refused for stands in its answer.
    public func enqueue(
        _ requests: [DownloadRequest]
    ) async throws(DownloadError) -> [Result<DownloadHandle, DownloadError>] {
        var answers: [Result<DownloadHandle, DownloadError>?] = []
        var orders: [EnqueueRequest] = []
        for request in requests {
            do throws(DownloadError) {
                orders.append(try order(request))
                answers.append(nil)
            } catch { answers.append(.failure(error)) }
        }
        let outcomes: [EnqueueAnswer]
        do throws(Problem) { outcomes = try await service.enqueue(orders) } catch { throw DownloadError(error) }
        var next = outcomes.makeIterator()
        return answers.map { answer in
            if let answer { return answer }
            switch next.next() {
            case .accepted(let row, let joined)?:
                return .success(DownloadHandle(id: Download.ID(row.id.rawValue), isJoined: joined, ledger: self))
            case .refused(let problem)?: return .failure(DownloadError(problem))
            case nil: preconditionFailure("there is one answer for each request")
            }
        }
    }

    /// Enqueues a download and tells a screen how it goes. The callbacks run one after the other; nothing is lost when
    /// the app ends meanwhile but the calls.
    ///
    /// ```swift
    /// await ledger.add(url: url) { progress in
    ///     bar.show(progress.fraction)
    /// } onCompletion: { result in
    ///     bar.end(result)
    /// }
    /// ```
    /// - Parameters:
    ///   - url: as ``enqueue(_:to:options:)`` takes it.
    ///   - destination: a directory (it ends with `/`) or a file; nil lets the configuration say.
    ///   - options: what else is asked for.
    ///   - onProgress: called at most four times a second.
    ///   - onCompletion: called once, with the finished file or the reason why there is none.
    /// - Returns: the download, or nil when it was refused: `onCompletion` was told why.
    @discardableResult
    public func add(
        url: URL, destination: URL? = nil, options: DownloadOptions = DownloadOptions(),
        onProgress: @escaping @Sendable (DownloadProgress) -> Void = { _ in },
        onCompletion: @escaping @Sendable (Result<URL, DownloadError>) -> Void
    ) async -> Download.ID? {
        let handle: DownloadHandle
        do throws(DownloadError) { handle = try await enqueue(url, to: destination, options: options) } catch {
            onCompletion(.failure(error))
            return nil
        }
        Task {
            for await progress in handle.progress { onProgress(progress) }
            do throws(DownloadError) { onCompletion(.success(try await handle.value)) } catch {
                onCompletion(.failure(error))
            }
        }
        return handle.id
    }

    /// The handle of a download that is in the ledger already: at the next start, say. One that there is not throws
    /// `not-found` when it is waited for.
    ///
    /// ```swift
    /// let file = try await ledger.handle(for: id).value
    /// ```
    public func handle(for id: Download.ID) -> DownloadHandle { DownloadHandle(id: id, isJoined: true, ledger: self) }
}

// What is asked for, as the ledger takes it.
extension DownloadLedger {
    private func order(_ request: DownloadRequest) throws(DownloadError) -> EnqueueRequest {
        let (directory, name) = try place(of: request)
        let options = request.options
        var order = EnqueueRequest(url: request.url.absoluteString, directory: directory, command: newCommand)
        order.name = name
        order.mirrors = options.mirrors.map(\.absoluteString)
        order.collision = options.collision.wire
        order.headers = options.headers.sorted { $0.key < $1.key }.map { .init(name: $0.key, value: $0.value) }
        order.credentials = options.credentials
        order.bearer = options.bearer
        order.checksum = options.checksum
        order.expectedLength = options.expectedLength
        (order.group, order.title, order.details, order.tags) =
            (options.group, options.title, options.details, options.tags)
        (order.identifier, order.published) = (options.identifier, options.published.map(Timestamp.init))
        order.priority = options.priority
        order.bytesPerSecondMax = options.bytesPerSecondMax == 0 ? nil : options.bytesPerSecondMax
        order.retriesMax = options.retriesMax
        order.silenceMillisecondsMax = options.silenceMax.map { UInt32(clamping: $0.milliseconds) }
        order.notBefore = options.notBefore.map(Timestamp.init)
        order.userAgent = options.userAgent
        order.isPaused = options.isPaused
        order.again = options.again
        return order
    }

    /// The directory, and the name if it is not left to the origin.
    private func place(of request: DownloadRequest) throws(DownloadError) -> (directory: String, name: String?) {
        if let destination = request.destination {
            try Self.requireFile(destination)
            let path = destination.path(percentEncoded: false)
            if destination.hasDirectoryPath { return (path, nil) }
            return (destination.deletingLastPathComponent().path(percentEncoded: false), destination.lastPathComponent)
        }
        let root = filesPath
        let (options, naming) = (request.options, configuration.naming)
        let group = naming.isByGroup ? options.group.flatMap { FileName.safe(words: $0) } : nil
        return (group.map { root + "/" + $0 } ?? root, naming.name(of: request.url, options))
    }
}

extension NamingStrategy {
    fileprivate var isByGroup: Bool { self == .groupAndName || self == .groupAndIdentifier }

    /// The name of a file; nil leaves it to the origin or the URL.
    fileprivate func name(of url: URL, _ options: DownloadOptions) -> String? {
        let suffix = url.pathExtension.isEmpty ? "" : "." + url.pathExtension
        switch self {
        case .name, .groupAndName: return nil
        case .identifier, .groupAndIdentifier: return options.identifier.flatMap { Self.name(of: $0, suffix) }
        case .hashOfURL: return FileName.safe(Self.digits(of: Self.address(of: url)) + suffix)
        }
    }

    /// How many digits of its hash tell an identifier that can not be a name from another.
    private static let tellingDigits = 8

    /// The name that is made of an identifier. What had to be changed for that is told apart from what looks the same
    /// then: two identifiers are two files.
    private static func name(of identifier: String, _ suffix: String) -> String? {
        if let name = FileName.safe(words: identifier + suffix), name == identifier + suffix { return name }
        let digits = "-" + digits(of: identifier).prefix(tellingDigits)
        let bytesMax = Destination.nameBytesMax - digits.utf8.count - suffix.utf8.count
        return FileName.safe(words: identifier, bytesMax: max(1, bytesMax)).flatMap {
            FileName.safe($0 + digits + suffix)
        }
    }

    /// The URL as the ledger tells it from others: without a fragment, and without `user:password@`, of which nothing
    /// is to be in a name.
    private static func address(of url: URL) -> String {
        do throws(URLProblem) { return try ResourceURL.parse(url.absoluteString).url.text } catch {
            // It is refused when it is enqueued.
            return url.absoluteString
        }
    }

    private static func digits(of text: String) -> String { Array(SHA256.hash(data: Array(text.utf8))).hex }
}

extension DownloadOptions.Collision {
    fileprivate var wire: EnqueueRequest.Collision {
        switch self {
        case .number: .number
        case .overwrite: .overwrite
        case .skip: .skip
        }
    }
}
