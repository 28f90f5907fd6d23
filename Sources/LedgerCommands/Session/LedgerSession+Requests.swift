import ArgumentParser
import LedgerAPI
import LedgerEngine
import LedgerHTTP
import LedgerModel
import LedgerSystem
import LedgerTransfer
import SystemPackage

extension LedgerSession {
    /// The longest input file read, in bytes.
    static let inputBytesMax = 256 << 20

    /// The requests that URLs, flags, an input file and Metalinks make, checked; their directories made and found
    /// writable.
    func requests(urls: [String], options: DownloadOptions) async throws(Problem) -> [EnqueueRequest] {
        let builder = try builder(options)
        let input = try options.inputFile.map { name throws(Problem) in (name, try readInput(name)) }
        let named = options.metalink.filter { $0.contains("://") }
        var documents: [(name: String, metalink: Metalink)] = []
        for name in options.metalink where !name.contains("://") {
            documents.append((name, try metalink(name, below: builder.base().directory)))
        }
        func isFollowed(_ request: EnqueueRequest) -> Bool {
            named.contains(request.url) || options.followMetalink && isMetalink(request.url)
        }
        let (direct, warnings) = try builder.requests(
            urls: urls + named, input: input, documents: documents, isFollowed: isFollowed)
        warnings.forEach(console.warn)
        var requests = try await following(direct, where: isFollowed, builder)
        try prepareDirectories(of: &requests)
        if requests.isEmpty { console.note("'\(options.inputFile ?? "")' holds no URL") }
        return requests
    }

    /// What makes requests of flags.
    func builder(_ options: DownloadOptions) throws(Problem) -> RequestBuilder {
        try builder(options, secrets: try secrets(options.route))
    }

    private func builder(_ options: DownloadOptions, secrets: RequestSecrets) throws(Problem) -> RequestBuilder {
        RequestBuilder(
            options: options, settings: try settings, directory: context.directory,
            userHome: context.environment["HOME"], secrets: secrets,
            environment: ProxyEnvironment(context.environment), now: context.world.clock.now(),
            newCommand: context.newCommand)
    }

    /// What a request for the same URL asks for where no flag says anything: by the configuration and the environment.
    func configured(for request: EnqueueRequest) -> [AskedOption] {
        do {
            let builder = try builder(try DownloadOptions.parse([]), secrets: RequestSecrets())
            var plain = try builder.base()
            plain.url = request.url
            try builder.finish(&plain, usesNetrc: false)
            return try plain.order().order.asked
        } catch {
            // What is wrong there was told when the request was made.
            return []
        }
    }

    /// Makes the directories that files go to, and finds out whether they can be written to, and whether the names that
    /// were given can be files' names.
    func prepareDirectories(of requests: inout [EnqueueRequest]) throws(Problem) {
        for place in requests.indices {
            requests[place].directory = try context.directoryPath(requests[place].directory)
        }
        for request in requests { try checkName(of: request) }
        var known: Set<DiskName> = []
        for request in requests where known.insert(DiskName(request.directory)).inserted {
            try DirectoryCheck(fileSystem: context.world.fileSystem).prepare(request.directory)
        }
    }

    /// A file that is there is numbered around, skipped or replaced, as it was asked for; beside a directory or a
    /// device of that name nobody means a file.
    private func checkName(of request: EnqueueRequest) throws(Problem) {
        guard let name = request.name else { return }
        let path = FilePath(request.directory).appending(name)
        let status: FileStatus?
        do throws(FileError) { status = try context.world.fileSystem.status(of: path) } catch {
            // The directory is looked at next, and says why.
            return
        }
        // Such as '/dev/stdout', which is a link.
        let isOfDevices = request.directory == "/dev"
        switch isOfDevices ? .other : status?.kind {
        case nil, .regular, .symbolicLink: return
        case .directory:
            throw Problem(.badDestination, "'\(path)' is a directory", next: "use '-d' for it", exitCode: .usage)
        case .other:
            throw Problem(
                .badDestination, "'\(path)' is a device, a pipe or a socket",
                cause: "what came could not be carried on from there", next: "give the name of a file",
                exitCode: .usage)
        }
    }

    /// The text of an input file, or of standard input for `-`.
    func readInput(_ name: String) throws(Problem) -> String {
        try inputText(try readBytes(name, Self.inputFile, bytesMax: Self.inputBytesMax), name)
    }

    /// The text that the bytes of an input file are, packed by `gzip` or not.
    func inputText(_ bytes: [UInt8], _ name: String) throws(Problem) -> String {
        var plain = bytes
        if GzipFile.isBegun(by: bytes) {
            do throws(GzipFile.Fault) {
                plain = try GzipFile.unpacked(bytes, bytesMax: Self.inputBytesMax)
            } catch {
                let state =
                    error == .damaged
                    ? "can not be unpacked: it is damaged" : "holds more than \(Self.inputBytesMax) bytes"
                throw unfit(Self.inputFile, name, state, "unpack it with 'gzip -d', and look at what it holds")
            }
        }
        guard let text = String(validating: plain, as: UTF8.self) else {
            throw unfit(Self.inputFile, name, "is not text in UTF-8", "give a list of URLs, as text or packed by gzip")
        }
        return text
    }

    /// What an input file is called in errors.
    static let inputFile = "input file"

    /// Reads a file that an option names; `-` is standard input.
    /// - Parameter what: what it is called in errors.
    func readBytes(_ name: String, _ what: String, bytesMax: Int) throws(Problem) -> [UInt8] {
        do throws(FileError) {
            return try name == "-" ? context.readInput() : contents(of: name, bytesMax)
        } catch {
            switch error.errno {
            case .noSuchFileOrDirectory:
                throw unfit(what, name, "can not be found", "give the file's path, or '-' for standard input")
            case .isDirectory: throw unfit(what, name, "is a directory", "give a file, or '-' for standard input")
            case .fileTooLarge:
                let next = what == Self.inputFile ? "split it, and give the parts in turn" : "give another file"
                throw unfit(what, name, "is longer than \(bytesMax) bytes", next)
            case .illegalSeek: throw unfit(what, name, "is neither a file nor a pipe", "give '-' for standard input")
            default: throw Problem(LedgerError.file(error))
            }
        }
    }

    private func contents(of name: String, _ bytesMax: Int) throws(FileError) -> [UInt8] {
        let path = context.path(name)
        if let bytes = try Input.stream(at: path, bytesMax: bytesMax) { return bytes }
        guard let whole = try context.world.fileSystem.regularFile(at: path, bytesMax: bytesMax) else {
            throw FileError("open", path, .noSuchFileOrDirectory)
        }
        return whole.bytes
    }

    private func unfit(_ what: String, _ name: String, _ state: String, _ next: String) -> Problem {
        Problem(.usage, "the \(what) '\(name)' \(state)", next: next, exitCode: .usage)
    }
}
