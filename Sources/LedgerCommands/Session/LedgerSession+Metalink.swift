import LedgerAPI
import LedgerEngine
import LedgerHTTP
import LedgerModel
import LedgerSystem
import LedgerTransfer
import LedgerViews
import SystemPackage

extension LedgerSession {
    /// The requests, and instead of each that names a Metalink by URL those for the files that it describes.
    ///
    /// - Parameter isFollowed: whether a request does.
    func following(
        _ requests: [EnqueueRequest], where isFollowed: (EnqueueRequest) -> Bool, _ builder: RequestBuilder
    ) async throws(Problem) -> [EnqueueRequest] {
        guard requests.contains(where: isFollowed) else { return requests }
        let transport = HTTPTransport()
        var result: [EnqueueRequest] = []
        var problem: Problem?
        do throws(Problem) {
            for request in requests {
                let files = isFollowed(request) ? try await expanded(request, over: transport, builder) : [request]
                result += files
            }
        } catch { problem = error }
        await transport.shutdown()
        if let problem { throw problem }
        return result
    }

    /// Reads a Metalink from a file or from standard input, whose files are to go below a directory.
    func metalink(_ name: String, below directory: String) throws(Problem) -> Metalink {
        let bytes = try readBytes(name, "Metalink", bytesMax: Metalink.bytesMax)
        let metalink: Metalink
        do throws(XMLProblem) { metalink = try Metalink.parse(bytes) } catch {
            throw Problem(error, document: name, isFile: true)
        }
        try accept(metalink, name, below: directory)
        return metalink
    }

    /// Says what a Metalink left out, and refuses directories that it names and that lead elsewhere: links below the
    /// one that was asked for.
    private func accept(_ metalink: Metalink, _ name: String, below directory: String) throws(Problem) {
        for note in metalink.notes { console.note("line \(note.line) of '\(name)': \(TextWidth.printable(note.text))") }
        for file in metalink.files {
            var path = FilePath(directory)
            for part in file.directories {
                path.append(part)
                let status: FileStatus?
                do throws(FileError) { status = try context.world.fileSystem.status(of: path) } catch {
                    throw Problem(LedgerError.file(error))
                }
                guard let status else { break }
                guard status.kind != .symbolicLink else {
                    throw Problem(
                        .badDestination, "'\(path)' is a symbolic link, and a Metalink names it as a directory",
                        next: "give another directory with '-d'", exitCode: .usage)
                }
            }
        }
    }

    private func expanded(
        _ request: EnqueueRequest, over transport: HTTPTransport, _ builder: RequestBuilder
    ) async throws(Problem) -> [EnqueueRequest] {
        var finished = request
        try builder.finish(&finished, usesNetrc: true)
        let assignment = try await assignment(of: finished)
        let name = assignment.order.url.text
        console.detail("fetching the Metalink '\(name)'")
        let fetch = DocumentFetch(transport: transport, clock: context.world.clock, settings: TransferSettings())
        let document: DocumentFetch.Document
        do throws(Failure) {
            document = try await self.document(assignment, by: fetch, named: name)
        } catch {
            throw Problem(
                .refused, "the Metalink '\(name)' can not be fetched", cause: TextWidth.printable(error.message),
                next: "check the URL; '--no-follow-metalink' downloads it as any other file")
        }
        let metalink: Metalink
        do throws(XMLProblem) { metalink = try Metalink.parse(document.bytes, base: document.url) } catch {
            throw Problem(error, document: name, isFile: false)
        }
        try accept(metalink, name, below: request.directory)
        return try builder.requests(of: metalink, named: name, like: request, from: assignment.url)
    }

    /// The longest wait before a document is asked for again: everything that the command is given waits for it.
    private static let documentWaitMax = Duration.seconds(60)

    /// The document, asked for as often as a download; but an origin that wants to be asked much later is told of.
    private func document(
        _ assignment: Assignment, by fetch: DocumentFetch, named name: String
    ) async throws(Failure) -> DocumentFetch.Document {
        let (world, policy) = (context.world, TransferSettings().retry)
        var failures: UInt32 = 0
        while true {
            do throws(Failure) { return try await fetch.fetch(assignment, bytesMax: Metalink.bytesMax) } catch {
                let now = world.clock.now()
                let again = policy.retryAt(
                    after: error, failuresBefore: failures, retriesMax: assignment.order.options.value.retriesMax,
                    now: now, jitter: world.fraction())
                let pause = again.map { max(.zero, now.duration(to: $0)) }
                guard let pause, pause <= Self.documentWaitMax else { throw error }
                failures += 1
                console.note(
                    "the Metalink '\(name)' can not be fetched (\(TextWidth.printable(error.message))); trying again"
                        + " in \(pause.components.seconds) s")
                let failure = error
                do { try await world.clock.sleep(until: world.clock.uptime() + pause) } catch { throw failure }
            }
        }
    }

    /// What a worker would need to fetch the document of a request; what is expected of the files it describes is not
    /// expected of itself.
    private func assignment(of request: EnqueueRequest) async throws(Problem) -> Assignment {
        var plain = request
        (plain.checksum, plain.checksumFile, plain.expectedType, plain.ifModified) = (nil, nil, nil, false)
        let order: Order
        let secrets: OrderSecrets
        do throws(RequestProblem) { (order, secrets) = try plain.order() } catch { throw Problem(error) }
        let lease = Lease(DownloadID(0), epoch: 0)
        do throws(Failure) {
            var assignment = try AssignmentMaker.adding(
                secrets, to: Assignment(lease: lease, order: order, ledgerPrefix: ""))
            let (world, now) = (context.world, context.world.clock.now())
            assignment.cookies = try await world.blocking.run { () throws(Failure) in
                try CookieFile.read(for: order, in: world.fileSystem, now: now)
            }
            return assignment
        } catch { throw Problem(.badURL, error.message, exitCode: .usage) }
    }

    /// Whether a URL names a Metalink by what it ends in.
    func isMetalink(_ text: String) -> Bool {
        do throws(URLProblem) { return Metalink.isMetalink(try ResourceURL.parse(text).url) } catch { return false }
    }
}
