import LedgerSystem
import SystemPackage

/// Where the bytes of a segment go, one after the other.
protocol SegmentOutput {
    /// Adds bytes at the end.
    mutating func append(_ bytes: [UInt8]) throws(FileError)
    /// Writes what is left, makes all of it durable, and closes the file.
    mutating func finish() throws(FileError)
}

/// A file that holds a segment's bytes as they are.
struct PlainOutput: SegmentOutput {
    private let file: any File
    private var offset: UInt64 = 0

    /// Makes the file, in place of one that a crash may have left.
    init(_ path: FilePath, _ fileSystem: any FileSystem) throws(FileError) {
        if try fileSystem.status(of: path) != nil { try fileSystem.unlink(path) }
        file = try fileSystem.open(path, .create(permissions: LogHome.fileMode))
    }

    mutating func append(_ bytes: [UInt8]) throws(FileError) {
        try file.write(bytes, at: offset)
        offset += UInt64(bytes.count)
    }

    mutating func finish() throws(FileError) {
        try file.synchronize()
        file.close()
    }
}

/// A file that holds a segment's bytes as gzip members of ``GzipMember/plainBytesMax`` each.
struct GzipOutput: SegmentOutput {
    private var plain: PlainOutput
    private let path: FilePath
    private var pending: [UInt8] = []

    /// Makes the file, in place of one that a crash may have left.
    init(_ path: FilePath, _ fileSystem: any FileSystem) throws(FileError) {
        self.path = path
        plain = try PlainOutput(path, fileSystem)
    }

    mutating func append(_ bytes: [UInt8]) throws(FileError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let part = rest.prefix(GzipMember.plainBytesMax - pending.count)
            pending += part
            rest = rest.dropFirst(part.count)
            if pending.count == GzipMember.plainBytesMax { try flush() }
        }
    }

    mutating func finish() throws(FileError) {
        if !pending.isEmpty { try flush() }
        try plain.finish()
    }

    private mutating func flush() throws(FileError) {
        guard let member = GzipMember.pack(pending) else { throw FileError("deflate", path, .noMemory) }
        try plain.append(member)
        pending.removeAll(keepingCapacity: true)
    }
}
