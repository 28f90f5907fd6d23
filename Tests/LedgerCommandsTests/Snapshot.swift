import LedgerEngine
import LedgerSystem
import SystemPackage
import Testing

/// A text recorded in a file beside the tests. One that is not there is recorded, and fails the run that records it.
struct Snapshot {
    private let path: FilePath

    /// The recorded text of this name.
    init(_ name: String, source: StaticString = #filePath) {
        path = FilePath(String(describing: source)).removingLastComponent().appending("Snapshots").appending(name)
    }

    /// Compares a text with the recorded one.
    func check(_ text: String, at location: SourceLocation = #_sourceLocation) throws {
        let fileSystem = RealFileSystem()
        guard let recorded = try fileSystem.contents(of: path) else {
            try fileSystem.createDirectory(path.removingLastComponent(), permissions: 0o755)
            try fileSystem.replaceContents(of: path, with: Array((text + "\n").utf8), permissions: 0o644)
            Issue.record(
                "recorded '\(path.lastComponent?.string ?? "")': look at it, and run again", sourceLocation: location)
            return
        }
        #expect(text + "\n" == String(decoding: recorded, as: UTF8.self), sourceLocation: location)
    }
}
