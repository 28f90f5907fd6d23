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
        let builder = RequestBuilder(
            options: options, settings: settings, directory: context.directory,
            userHome: context.environment["HOME"], now: context.world.clock.now(), newCommand: context.newCommand)
        let input = try options.inputFile.map { name throws(Problem) in (name, try readInput(name)) }
        let (requests, warnings) = try builder.requests(urls: urls, input: input)
        warnings.forEach(console.warn)
        var known: Set<String> = []
        for request in requests where known.insert(request.directory).inserted {
            try DirectoryCheck(fileSystem: context.world.fileSystem, random: context.world.random)
                .prepare(request.directory)
        }
        if requests.isEmpty { console.note("'\(options.inputFile ?? "")' holds no URL") }
        return requests
    }

    private func readInput(_ name: String) throws(Problem) -> String {
        let bytes: [UInt8]?
        do throws(FileError) {
            if name == "-" {
                bytes = try context.readInput()
            } else {
                let path = FilePath(
                    Paths.absolute(name, from: context.directory, home: context.environment["HOME"]))
                bytes = try context.world.fileSystem.contents(of: path, bytesMax: Self.inputBytesMax)
            }
        } catch { throw Problem(LedgerError.file(error)) }
        guard let bytes else {
            throw Problem(
                .usage, "there is no input file '\(name)'", next: "give the file's path, or '-' for standard input",
                exitCode: .usage)
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw Problem(
                .usage, "the input file '\(name)' is not text in UTF-8",
                next: "if it is compressed, use: gzip -dc FILE | ledger add -i -", exitCode: .usage)
        }
        return text
    }
}
