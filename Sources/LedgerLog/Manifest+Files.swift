import LedgerModel
import LedgerSystem
import SystemPackage

extension Manifest {
    /// What a home's two copies say.
    struct Loaded: Sendable {
        /// The one that counts; nil when neither is whole.
        var manifest: Manifest?
        /// The names of copies that are there and damaged.
        var damaged: [String] = []
        /// Whether both copies are there, whole and the same.
        var isComplete = false
        /// Whether neither copy is there.
        var isAbsent = false
    }

    static func load(_ fileSystem: any FileSystem, _ home: LogHome) throws(LogError) -> Loaded {
        var loaded = Loaded()
        var found: [Manifest] = []
        var absent = 0
        for path in home.manifests {
            let name = path.lastComponent?.string ?? ""
            let bytes = try disk("read the manifest") { () throws(FileError) in
                try fileSystem.content(of: path, bytesMax: LogBounds.manifestBytesMax)
            }
            guard let bytes else {
                absent += 1
                continue
            }
            do throws(Fault) {
                found.append(try Manifest(decoding: bytes))
            } catch {
                switch error {
                case .damaged: loaded.damaged.append(name)
                case .format(let format): throw .newer(format, file: name)
                }
            }
        }
        loaded.isAbsent = absent == 2
        loaded.manifest = found.max { $0.generation < $1.generation }
        loaded.isComplete = found.count == 2 && found[0] == found[1]
        return loaded
    }

    /// Writes both copies, one after the other, each durable before the next is touched.
    func store(_ fileSystem: any FileSystem, _ home: LogHome) throws(FileError) {
        let bytes = encoded
        for path in home.manifests {
            let file = try fileSystem.open(path, .createOrUpdate(permissions: LogHome.fileMode))
            defer { file.close() }
            try file.write(bytes, at: 0)
            if try file.status().length > UInt64(bytes.count) { try file.truncate(to: UInt64(bytes.count)) }
            try file.synchronize()
        }
    }

    /// The bytes of the finished segments in the log, all of which are there.
    /// - Throws: ``LogError``: `.missing` for the first that is not, `.io`.
    func sealedBytes(_ fileSystem: any FileSystem, _ home: LogHome) throws(LogError) -> UInt64 {
        var total: UInt64 = 0
        for entry in segments where entry.state == .sealed {
            let path = home.segment(entry.first)
            let status = try disk("look at a segment") { () throws(FileError) in try fileSystem.status(of: path) }
            guard let status else {
                throw .missing(SegmentName.name(entry.first), holding: entry.first...entry.last)
            }
            total += status.length
        }
        return total
    }

    /// The manifest with its generation raised.
    func raised() -> Manifest {
        var next = self
        next.generation += 1
        return next
    }
}

extension LogError {
    static func missing(_ name: String, holding sequences: ClosedRange<SequenceNumber>? = nil) -> LogError {
        let extent = sequences.map { " for sequences \($0.lowerBound) to \($0.upperBound)" } ?? ""
        return LogError(
            .missing, "segment '\(name)' is not there", file: name, detail: "the manifest counts it\(extent)",
            next: Advice.restore(name))
    }

    static func newer(_ format: UInt16, file: String) -> LogError {
        LogError(
            .newerFormat, "'\(file)' is of format \(format), and this program knows format \(LogBounds.format)",
            file: file, next: "update the program; nothing was changed")
    }
}
