import LedgerAPI
import LedgerEngine
import LedgerSystem
import SystemPackage

/// Where the text of an export goes: standard output, or a file that is there when it is whole.
struct ExportOutput: Sendable {
    private let console: Console
    private let file: StagedFile?
    private let fileSystem: any FileSystem

    /// How many bytes are gathered before they are written.
    private static let blockBytes = 256 << 10

    /// Output to a file, or to standard output without one.
    init(_ file: StagedFile?, _ session: LedgerSession) {
        self.file = file
        console = session.console
        fileSystem = session.context.world.fileSystem
    }

    /// Runs `body`, which hands over the text piece by piece, and publishes the file when it has ended well. Blocks.
    /// - Throws: what `body` throws; a ``Problem`` of the disk; ``Console/Unwritable``.
    func write<Answer>(_ body: ((String) throws -> Void) throws -> Answer) throws -> Answer {
        guard let file else {
            return try gathering({ try console.writeOutput(String(decoding: $0, as: UTF8.self)) }, body)
        }
        do {
            let into = try fileSystem.open(file.temporary, .create(permissions: StagedFile.permissions))
            defer { into.close() }
            var place: UInt64 = 0
            let answer = try gathering(
                { bytes in
                    try into.write(bytes, at: place)
                    place += UInt64(bytes.count)
                }, body)
            try file.publish()
            return answer
        } catch {
            do { try file.abandon() } catch { console.warn("'\(file.temporary)' is left behind: \(error)") }
            if let error = error as? FileError { throw Problem(LedgerError.file(error)) }
            throw error
        }
    }

    private func gathering<Answer>(
        _ put: @escaping ([UInt8]) throws -> Void, _ body: ((String) throws -> Void) throws -> Answer
    ) throws -> Answer {
        var held: [UInt8] = []
        let answer = try body { text in
            held.append(contentsOf: text.utf8)
            guard held.count >= Self.blockBytes else { return }
            try put(held)
            held.removeAll(keepingCapacity: true)
        }
        if !held.isEmpty { try put(held) }
        return answer
    }
}
