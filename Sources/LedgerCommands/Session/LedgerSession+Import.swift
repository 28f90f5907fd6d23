import LedgerAPI
import LedgerEngine
import LedgerSystem
import SystemPackage

/// What a file that is to be imported is.
enum ImportInput: Sendable {
    /// Text that asks for downloads.
    case requests(String)
    /// The log of a ledger, in a file that is as long as it is.
    case log(FilePath)
    /// The log of a ledger that came on standard input.
    case piped([UInt8])

    /// Whether it is a log.
    var isLog: Bool {
        if case .requests = self { false } else { true }
    }
}

extension LedgerSession {
    /// How much of a file is looked at to find out what it is, in bytes.
    private static let markBytes = 256

    /// Finds out what a file is; `-` is standard input, which is read here.
    func importInput(_ name: String) throws(Problem) -> ImportInput {
        guard name != "-" else {
            let bytes = try readBytes(name, Self.inputFile, bytesMax: Self.inputBytesMax)
            return ExportedLog.isBegun(by: bytes.prefix(Self.markBytes))
                ? .piped(bytes) : unpackedInput(try inputText(bytes, name))
        }
        let path = context.path(name)
        let start: [UInt8]
        do throws(FileError) { start = try self.start(of: path) } catch { throw Problem(LedgerError.file(error)) }
        return ExportedLog.isBegun(by: start) ? .log(path) : unpackedInput(try readInput(name))
    }

    /// A log may have been packed by `gzip`.
    private func unpackedInput(_ text: String) -> ImportInput {
        ExportedLog.isBegun(by: Array(text.utf8.prefix(Self.markBytes))[...])
            ? .piped(Array(text.utf8)) : .requests(text)
    }

    /// What a regular file begins with; nothing of what is none.
    private func start(of path: FilePath) throws(FileError) -> [UInt8] {
        let fileSystem = context.world.fileSystem
        guard let kind = try fileSystem.status(of: path)?.kind, [.regular, .symbolicLink].contains(kind) else {
            return []
        }
        let file: any File
        do throws(FileError) { file = try fileSystem.open(path, .read) } catch {
            // A link to nothing: the reader of lists says so.
            if error.errno == .noSuchFileOrDirectory { return [] }
            throw error
        }
        defer { file.close() }
        return try file.status().kind == .regular ? file.bytes(at: 0, count: Self.markBytes) : []
    }

    /// Makes the home's ledger of a log.
    func importLog(_ input: ImportInput, name: String, isDryRun: Bool) async throws(Problem) -> LogImporter.Report {
        let (home, world) = (home, context.world)
        return try await world.blocking.run { () throws(Problem) in
            let lines: LineReader
            switch input {
            case .requests: preconditionFailure("only a log is imported so")
            case .piped(let bytes): lines = LineReader(bytes)
            case .log(let path):
                do throws(FileError) { lines = LineReader(try world.fileSystem.open(path, .read)) } catch {
                    throw Problem(LedgerError.file(error))
                }
            }
            var importer = LogImporter(lines, name: name)
            return try importer.run(into: home, world: world, isDryRun: isDryRun)
        }
    }
}
