import LedgerAPI
import LedgerCoding
import LedgerHolder
import LedgerModel
import LedgerViews

/// What `POST /v1/downloads` takes for each download: the long flags of the command line in camel case, but for those
/// that name files of this machine, which no client of the API may have read.
struct EnqueueForm {
    /// What the server adds.
    struct Surroundings {
        /// Confines destinations.
        let roots: DestinationRoots
        /// Whether private addresses may be reached.
        let allowsPrivateAddresses: Bool
        /// What the program itself says.
        let own: OwnDefaults
        /// For times that are given from now on.
        let now: Timestamp
    }

    private var members: Members

    /// A form of JSON.
    init(_ value: JSONValue) throws {
        if case .string(let url) = value {
            members = Members(["url": .string(url)])
        } else if case .object(let object) = value {
            members = Members(object)
        } else {
            throw Refusal.badRequest("a download is an object with 'url', or a URL")
        }
    }

    /// The request that it makes.
    mutating func request(_ surroundings: Surroundings, command: CommandID) throws -> EnqueueRequest {
        guard let url = try members.text("url") else {
            throw Refusal.badRequest("'url' is missing", next: "{\"url\": \"https://...\"}")
        }
        let place = try surroundings.roots.place(
            directory: try members.text("dir"), output: try members.text("output"))
        var request = EnqueueRequest(url: url, directory: place.directory, command: command)
        request.name = place.name
        request.refusesPrivateAddresses = !surroundings.allowsPrivateAddresses
        request.refusesLinks = true
        try identify(&request)
        try limit(&request, now: surroundings.now)
        try check(&request)
        try label(&request)
        try route(&request, surroundings)
        try members.finish()
        return request
    }

    private mutating func identify(_ request: inout EnqueueRequest) throws {
        request.mirrors = try members.texts("mirror") ?? []
        for text in try members.texts("header") ?? [] {
            guard let header = EnqueueRequest.Header(parsing: text) else {
                throw Problem(.header(text.firstIndex(of: ":").map { String(text[..<$0]) } ?? ""))
            }
            request.headers.append(header)
        }
        request.credentials = try members.text("user")
        request.bearer = try members.text("bearer")
        request.userAgent = try members.text("userAgent")
        switch (try members.flag("overwrite"), try members.flag("skip")) {
        case (true, true):
            throw Refusal.unprocessable("'overwrite' and 'skip' are both given", next: "give one of them")
        case (true, false): request.collision = .overwrite
        case (false, true): request.collision = .skip
        case (false, false): break
        }
        request.again = try members.flag("again")
        request.isPaused = try members.flag("paused")
        request.ifModified = try members.flag("ifModified")
    }

    private mutating func limit(_ request: inout EnqueueRequest, now: Timestamp) throws {
        let rate: ByteSize? = try members.argument("limitRate")
        request.bytesPerSecondMax = rate?.bytes
        request.retriesMax = try members.number("retries")
        let silence: Silence? = try members.argument("timeout")
        request.silenceMillisecondsMax = silence?.milliseconds
        request.rangesMax = try members.number("split", 1...TransferOptions.rangesMax)
        request.priority = try members.number("priority") ?? 0
        let start: Instant? = try members.argument("notBefore")
        request.notBefore = start?.resolved(now: now)
        let window = try members.text("window")
        request.window = window == ChangeRequest.always ? nil : window
    }

    private mutating func check(_ request: inout EnqueueRequest) throws {
        request.checksum = try members.text("checksum")
        request.checksumFile = try members.text("checksumFile")
        if request.checksum != nil, request.checksumFile != nil {
            throw Refusal.unprocessable(
                "'checksum' and 'checksumFile' are both given", cause: "one of them says what is right")
        }
        request.expectedType = try members.text("expectType")
        request.expectedLength = try members.number("expectLength")
        request.decompresses = try members.flag("decompress")
        request.keepsRemoteTime = try members.flag("remoteTime")
    }

    private mutating func label(_ request: inout EnqueueRequest) throws {
        request.group = try members.text("group")
        request.title = try members.text("title")
        request.details = try members.text("details")
        // 'tags' as rows have it, 'tag' as the command line does.
        request.tags = (try members.texts("tags") ?? []) + (try members.texts("tag") ?? [])
        request.identifier = try members.text("identifier")
        let published: Instant? = try members.argument("published")
        switch published {
        case .at(let time)?: request.published = time
        case .fromNow?: throw Members.bad("published", "a time such as 2026-03-02T10:00:00Z, or a date")
        case nil: break
        }
    }

    private mutating func route(_ request: inout EnqueueRequest, _ surroundings: Surroundings) throws {
        request.isInsecure = try members.flag("insecure")
        request.prefersHTTP2 = try members.flag("http2")
        request.forwardsHeaders = try members.flag("forwardHeaders")
        request.allowsDowngrade = try members.flag("allowDowngrade")
        request.resumesUnvalidated = try members.flag("resumeUnvalidated")
        request.proxy = try members.text("proxy")
        request.noProxy = try members.text("noProxy")
        surroundings.own.apply(to: &request)
    }
}
