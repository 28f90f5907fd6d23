import LedgerSystem
import LedgerTestSupport
import SystemPackage
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The file systems the contract is checked on.
enum World: CaseIterable, CustomTestStringConvertible {
    case real, simulated

    var testDescription: String {
        switch self {
        case .real: "the real disk"
        case .simulated: "the simulated disk"
        }
    }

    /// Runs `body` in an empty directory of its own, which is removed afterwards.
    func run(_ body: (any FileSystem, FilePath) throws -> Void) throws {
        switch self {
        case .simulated:
            let disk = SimulatedDisk()
            try disk.createDirectory("/contract", permissions: 0o700)
            try body(disk, "/contract")
        case .real:
            try withTemporaryDirectory { try body(RealFileSystem(), $0) }
        }
    }
}

/// Runs `body` with a fresh directory of the real disk and removes it afterwards, with what is in it.
func withTemporaryDirectory<Answer>(_ body: (FilePath) throws -> Answer) throws -> Answer {
    let path = try makeTemporaryDirectory()
    defer { removeTree(path) }
    return try body(path)
}

/// The same for a body that waits.
func awaitWithTemporaryDirectory<Answer>(_ body: (FilePath) async throws -> Answer) async throws -> Answer {
    let path = try makeTemporaryDirectory()
    defer { removeTree(path) }
    return try await body(path)
}

private func makeTemporaryDirectory() throws -> FilePath {
    var template = Array("/tmp/ledger-tests-XXXXXX".utf8CString)
    try #require(template.withUnsafeMutableBufferPointer { mkdtemp($0.baseAddress!) } != nil)
    return FilePath(String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self))
}

private func removeTree(_ path: FilePath) {
    let disk = RealFileSystem()
    do {
        for name in try disk.list(path) {
            let child = path.appending(name)
            if try disk.status(of: child)?.kind == .directory { removeTree(child) } else { try disk.unlink(child) }
        }
        try disk.removeDirectory(path)
    } catch {
        Issue.record("the temporary directory stays: \(error)")
    }
}

/// Expects a call to fail with an `errno`.
func expect(
    _ errno: Errno, sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws(FileError) -> Void
) {
    do {
        try body()
        Issue.record("it should fail with \(errno)", sourceLocation: sourceLocation)
    } catch {
        #expect(error.errno == errno, "\(error)", sourceLocation: sourceLocation)
    }
}
