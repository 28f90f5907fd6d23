import LedgerAPI
import LedgerEngine
import LedgerSystem
import SystemPackage

/// The temporary directory of a demo.
struct DemoPlace: Sendable {
    /// The directory itself.
    let root: FilePath
    private let fileSystem: any FileSystem

    /// Makes a directory that nobody has.
    init(_ context: CommandContext) throws(Problem) {
        fileSystem = context.world.fileSystem
        let name = "ledger-demo-" + String(context.world.random(), radix: 36)
        root = FilePath(context.environment["TMPDIR"] ?? "/tmp").appending(name)
        try disk { () throws(FileError) in
            try fileSystem.createDirectory(files, permissions: 0o700)
        }
    }

    /// The ledger's home.
    var home: FilePath { root.appending("home") }
    /// Where the files go.
    var files: FilePath { root.appending("files") }
    /// The input file.
    var list: FilePath { root.appending("list.txt") }

    /// Writes the input file.
    func write(list lines: [String]) throws(Problem) {
        try disk { () throws(FileError) in
            let text = lines.joined(separator: "\n") + "\n"
            try fileSystem.replaceContents(of: list, with: Array(text.utf8), permissions: 0o600)
        }
    }

    /// The bytes of a downloaded file; nil when it is not there.
    func contents(of name: String) throws(Problem) -> [UInt8]? {
        try disk { () throws(FileError) in try fileSystem.contents(of: files.appending(name)) }
    }

    /// Removes the directory with everything in it.
    func remove() throws(Problem) { try disk { () throws(FileError) in try remove(root) } }

    private func remove(_ directory: FilePath) throws(FileError) {
        for name in try fileSystem.list(directory) {
            let path = directory.appending(name)
            if try fileSystem.status(of: path)?.kind == .directory {
                try remove(path)
            } else {
                try fileSystem.unlink(path)
            }
        }
        try fileSystem.removeDirectory(directory)
    }

    private func disk<Answer>(_ body: () throws(FileError) -> Answer) throws(Problem) -> Answer {
        do throws(FileError) { return try body() } catch { throw Problem(LedgerError.file(error)) }
    }
}
