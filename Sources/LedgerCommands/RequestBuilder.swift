import LedgerAPI
import LedgerModel
import LedgerTransfer
import LedgerViews

/// Makes the requests of one `get` or `add` out of its flags, its URLs and its input file.
struct RequestBuilder {
    /// The flags.
    let options: DownloadOptions
    /// What goes under the flags.
    let settings: Settings
    /// Where relative paths start.
    let directory: String
    /// What `~` means.
    let userHome: String?
    /// What opens doors and was read from files.
    let secrets: RequestSecrets
    /// What the environment says about proxies.
    let environment: ProxyEnvironment
    /// For times that are given from now on.
    let now: Timestamp
    /// Draws the name of a request.
    let newCommand: () -> CommandID

    /// One request for each URL, each item of the input file and each file of a Metalink, all of them checked.
    ///
    /// - Parameters:
    ///   - input: the name and the text of the input file.
    ///   - documents: Metalinks that were read from files, with their names.
    ///   - isFollowed: what names a Metalink by URL: what only the URL decides is left to its files.
    /// - Returns: the requests, and warnings about headers that are not sent and options that are not known.
    func requests(
        urls: [String], input: (name: String, text: String)? = nil,
        documents: [(name: String, metalink: Metalink)] = [], isFollowed: (EnqueueRequest) -> Bool = { _ in false }
    ) throws(Problem) -> (requests: [EnqueueRequest], warnings: [String]) {
        let base = try base()
        var requests: [EnqueueRequest] = []
        var warnings = base.headers.filter { Assignment.Header.isReserved($0.name) }.map {
            "the header '\($0.name)' is not sent: how much is asked for, and how it is packed, is for the ledger to say"
        }
        for url in urls {
            var request = base
            request.url = url
            request.command = newCommand()
            if !isFollowed(request) { try finish(&request, usesNetrc: true) }
            try check(request, place: nil)
            requests.append(request)
        }
        if let input {
            let items = try parse(input.text, name: input.name)
            var unknown: [InputFile.Option] = []
            for item in items {
                requests.append(try request(for: item, of: input.name, like: base, isFollowed: isFollowed, &unknown))
            }
            warnings += unknown.leftOut
        }
        for document in documents {
            requests += try self.requests(of: document.metalink, named: document.name, like: base)
        }
        if options.output != nil, requests.count > 1 {
            throw Problem(
                .usage, "'--output' names one file, and there are \(requests.count) downloads",
                next: "use '--dir', or an input file with a line ' out=NAME' below each URL", exitCode: .usage)
        }
        if !options.mirror.isEmpty, requests.count > 1 {
            throw Problem(
                .usage, "'--mirror' names another place of one file, and there are \(requests.count) downloads",
                next: "give one URL, or an input file with the places of each file on one line, tabs between them",
                exitCode: .usage)
        }
        return (requests, warnings)
    }

    /// The request that an item of an input file makes, checked; the options that it leaves out are added to
    /// `unknown`.
    func request(
        for item: InputFile.Item, of file: String, like base: EnqueueRequest,
        isFollowed: (EnqueueRequest) -> Bool = { _ in false }, _ unknown: inout [InputFile.Option]
    ) throws(Problem) -> EnqueueRequest {
        var request = base
        do throws(InputFile.SyntaxError) {
            unknown += try item.apply(to: &request, directory: directory)
        } catch { throw Problem(error, file: file) }
        request.command = newCommand()
        if !isFollowed(request) { try finish(&request, usesNetrc: item.usesNetrc) }
        try check(request, place: "line \(item.line) of '\(file)'")
        return request
    }

    /// The same builder for other flags.
    func with(_ options: DownloadOptions) -> RequestBuilder {
        var options = options
        options.dir = options.dir ?? self.options.dir
        return RequestBuilder(
            options: options, settings: settings, directory: directory, userHome: userHome,
            secrets: RequestSecrets(netrc: secrets.netrc, bearer: options.route.bearer), environment: environment,
            now: now, newCommand: newCommand)
    }

    /// One request for each file of a Metalink, all of them checked.
    ///
    /// - Parameters:
    ///   - name: what the document is called in errors.
    ///   - base: what is asked for each of them.
    ///   - source: where the document was fetched from by URL: secrets for that place go to no other.
    func requests(
        of metalink: Metalink, named name: String, like base: EnqueueRequest, from source: ResourceURL? = nil
    ) throws(Problem) -> [EnqueueRequest] {
        if metalink.files.count > 1, let (given, next) = Self.ofOneFile(base) {
            throw Problem(
                .usage, "\(given), and '\(name)' describes \(metalink.files.count) files", next: next, exitCode: .usage)
        }
        var requests: [EnqueueRequest] = []
        for file in metalink.files {
            var request = base
            file.apply(to: &request, from: source)
            request.command = newCommand()
            try finish(&request, usesNetrc: true)
            try check(request, place: "line \(file.line) of '\(name)'")
            requests.append(request)
        }
        return requests
    }

    /// What a request says of one file alone, and what to do where there are several.
    private static func ofOneFile(_ request: EnqueueRequest) -> (given: String, next: String)? {
        if request.name != nil {
            return ("one name is given", "give a directory with '-d'; each file has its name from the Metalink")
        }
        if request.checksum != nil {
            return ("one checksum is given", "leave it out: a Metalink holds those of its files; or '--checksum-file'")
        }
        if !request.mirrors.isEmpty {
            return ("another place of one file is given", "leave it out: a Metalink names the places of its files")
        }
        return nil
    }

    /// What the flags ask for every download.
    func base() throws(Problem) -> EnqueueRequest {
        let folder = Paths.absolute(options.dir ?? settings.directory ?? ".", from: directory, home: userHome)
        var request = EnqueueRequest(url: "", directory: folder, command: CommandID(high: 0, low: 0))
        let sums = options.checksum.count + (options.checks.checksumFile == nil ? 0 : 1)
        if sums > 1 {
            throw Problem(
                .usage, "what the file must hash to is said \(sums) times",
                cause: "one '--checksum' or '--checksum-file' says what is right", next: "leave the others out",
                exitCode: .usage)
        }
        if let output = options.output {
            guard output != "-" else {
                throw Problem(
                    .badDestination, "nothing is written to standard output",
                    cause: "what came could not be carried on from there",
                    next: "give a name; a file that is called '-' is './-'", exitCode: .usage)
            }
            let (outer, name) = Paths.split(output)
            guard !name.isEmpty else {
                throw Problem(
                    .badDestination, "'\(output)' names a directory", next: "use '-d' for it", exitCode: .usage)
            }
            if let outer { request.directory = Paths.absolute(outer, from: folder, home: userHome) }
            request.name = name
        }
        for text in options.header {
            guard let header = EnqueueRequest.Header(parsing: text) else {
                // Without a colon all of it may be a value, and so a secret.
                throw Problem(.header(text.firstIndex(of: ":").map { String(text[..<$0]) } ?? ""))
            }
            request.headers.append(header)
        }
        request.mirrors = options.mirror
        request.collision = options.overwrite ? .overwrite : options.skip ? .skip : .number
        if let user = options.user, !user.utf8.contains(UInt8(ascii: ":")) {
            throw Problem(
                .usage, "'--user' holds no colon, so it names no password", cause: "credentials are NAME:PASSWORD",
                next: "for an empty password end with the colon: --user 'ada:'", exitCode: .usage)
        }
        request.credentials = options.user
        request.checksum = options.checksum.first
        request.priority = options.priority ?? 0
        request.bytesPerSecondMax = (options.limitRate ?? settings.limitRate)?.limit
        request.retriesMax = options.retries ?? settings.retries
        request.silenceMillisecondsMax = (options.timeout ?? settings.timeout)?.milliseconds
        request.notBefore = options.notBefore?.resolved(now: now)
        request.again = options.again
        request.rangesMax = options.split
        request.checksumFile = options.checks.checksumFile
        request.expectedType = options.checks.expectType
        request.decompresses = options.checks.decompress
        request.ifModified = options.checks.ifModified
        request.window = options.window?.window?.description
        request.keepsRemoteTime = options.remoteTime
        label(&request)
        route(&request)
        return request
    }

    private func label(_ request: inout EnqueueRequest) {
        request.group = options.labels.group
        request.title = options.labels.title
        request.details = options.labels.details
        request.tags = options.labels.tag
    }

    /// The items of an input file.
    func parse(_ text: String, name: String) throws(Problem) -> [InputFile.Item] {
        do throws(InputFile.SyntaxError) { return try InputFile(parsing: text).items } catch {
            throw Problem(error, file: name)
        }
    }

    /// Finds out whether a request can be an order; a problem names its place.
    func check(_ request: EnqueueRequest, place: String?) throws(Problem) {
        if directory.isEmpty, !request.directory.hasPrefix("/") { throw .nowhere(request.directory, flag: "-d") }
        do throws(RequestProblem) { _ = try request.order() } catch {
            let problem = Problem(error)
            throw place.map(problem.located) ?? problem
        }
    }
}
