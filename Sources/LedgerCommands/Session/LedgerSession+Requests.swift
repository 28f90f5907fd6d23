import LedgerAPI
import LedgerEngine
import LedgerModel
import LedgerSystem
import SystemPackage

extension LedgerSession {
    /// The longest input file read, in bytes.
    static let inputBytesMax = 256 << 20

    /// The requests that URLs, flags and an input file make, checked; their directories made and found writable.
    func requests(urls: [String], options: DownloadOptions) throws(Problem) -> [EnqueueRequest] {
        let builder = try builder(options)
        let input = try options.inputFile.map { name throws(Problem) in (name, try readInput(name)) }
        let (requests, warnings) = try builder.requests(urls: urls, input: input)
        warnings.forEach(console.warn)
        try prepareDirectories(of: requests)
        if requests.isEmpty { console.note("'\(options.inputFile ?? "")' holds no URL") }
        return requests
    }

    /// What makes requests of flags.
    func builder(_ options: DownloadOptions) throws(Problem) -> RequestBuilder {
        RequestBuilder(
            options: options, settings: settings, directory: context.directory,
            userHome: context.environment["HOME"], secrets: try secrets(options.route),
            environment: ProxyEnvironment(context.environment), now: context.world.clock.now(),
            newCommand: context.newCommand)
    }

    /// Makes the directories that files go to, and finds out whether they can be written to.
    func prepareDirectories(of requests: [EnqueueRequest]) throws(Problem) {
        var known: Set<String> = []
        for request in requests where known.insert(request.directory).inserted {
            try DirectoryCheck(fileSystem: context.world.fileSystem, random: context.world.random)
                .prepare(request.directory)
        }
    }

    /// The text of an input file, or of standard input for `-`.
    func readInput(_ name: String) throws(Problem) -> String {
        let bytes: [UInt8]
        do throws(FileError) {
            bytes = try name == "-" ? context.readInput() : contents(of: name)
        } catch {
            switch error.errno {
            case .noSuchFileOrDirectory:
                throw unfit(name, "can not be found", "give the file's path, or '-' for standard input")
            case .isDirectory: throw unfit(name, "is a directory", "give a file, or '-' for standard input")
            case .fileTooLarge:
                throw unfit(name, "is longer than \(Self.inputBytesMax) bytes", "split it, and give the parts in turn")
            case .illegalSeek: throw unfit(name, "is no regular file", "pipe it in: use '-i -'")
            default: throw Problem(LedgerError.file(error))
            }
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw unfit(name, "is not text in UTF-8", "if it is compressed, use: gzip -dc FILE | ledger add -i -")
        }
        return text
    }

    private func contents(of name: String) throws(FileError) -> [UInt8] {
        let path = FilePath(Paths.absolute(name, from: context.directory, home: context.environment["HOME"]))
        let file = try context.world.fileSystem.open(path, .read)
        defer { file.close() }
        let status = try file.status()
        switch status.kind {
        case .regular: break
        case .directory: throw FileError("open", path, .isDirectory)
        case .symbolicLink, .other: throw FileError("open", path, .illegalSeek)
        }
        guard status.length <= UInt64(Self.inputBytesMax) else { throw FileError("open", path, .fileTooLarge) }
        return try file.bytes(at: 0, count: Int(status.length))
    }

    private func unfit(_ name: String, _ what: String, _ next: String) -> Problem {
        Problem(.usage, "the input file '\(name)' \(what)", next: next, exitCode: .usage)
    }
}
