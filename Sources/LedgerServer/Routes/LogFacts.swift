import LedgerCoding
import LedgerEngine
import LedgerLog
import LedgerModel
import LedgerSystem
import SystemPackage

/// How far the log reaches and how large it is.
struct LogFacts: Sendable {
    /// The first event that can be read.
    let first: SequenceNumber
    /// The last one.
    let last: SequenceNumber
    /// When it was recorded; nil in an empty log.
    let firstTime: Timestamp?
    /// The bytes of its files.
    let bytes: UInt64
    /// How many files it has.
    let segments: Int

    /// Looks. Reads directories, and one batch. Blocks.
    init(_ home: LedgerHome, _ world: World) throws(LedgerError) {
        var reader = try EventReader(home: home, fileSystem: world.fileSystem, after: .zero)
        let base = reader.baseSequence
        firstTime = try reader.next()?.events.first?.time
        first = base.next
        last = try LedgerReading(home: home, world: world).end()
        let directory = home.path.appending("log")
        var (bytes, segments) = (UInt64(0), 0)
        do throws(FileError) {
            for name in try world.fileSystem.list(directory) where name.hasSuffix(".seg") {
                guard let status = try world.fileSystem.status(of: directory.appending(name)) else { continue }
                segments += 1
                bytes += status.length
            }
        } catch { throw .file(error) }
        (self.bytes, self.segments) = (bytes, segments)
    }

    /// The facts.
    func json(identity: String) -> JSONValue {
        [
            "first": JSONValue(first.rawValue), "last": JSONValue(last.rawValue),
            "firstTime": JSONValue(firstTime?.rfc3339), "bytes": JSONValue(bytes),
            "segments": JSONValue(UInt64(segments)), "identity": .string(identity),
        ]
    }
}
