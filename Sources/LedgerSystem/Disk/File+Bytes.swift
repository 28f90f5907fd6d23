package import SystemPackage

extension File {
    /// Reads up to `count` bytes at `offset`, fewer only at the end of the file.
    package func bytes(at offset: UInt64, count: Int) throws(FileError) -> [UInt8] {
        var bytes: [UInt8] = []
        try read(into: &bytes, at: offset, count: count)
        return bytes
    }

    /// Reads up to `count` bytes at `offset`, fewer only at the end of the file, in place of what `bytes` holds. Its
    /// room is used again where nobody else holds it: new room would be a page fault for each page of it.
    package func read(into bytes: inout [UInt8], at offset: UInt64, count: Int) throws(FileError) {
        bytes.removeAll(keepingCapacity: true)
        // An array without room is one for all: what is below would write its length, zero, and be told as a race.
        guard count > 0 else { return }
        try bytes.append(addingCapacity: count) { room throws(FileError) in
            try unsafe room.withUnsafeMutableBufferPointer { buffer, filled throws(FileError) in
                filled = try unsafe fill(UnsafeMutableRawBufferPointer(buffer), at: offset)
            }
        }
    }

    private func fill(_ room: UnsafeMutableRawBufferPointer, at offset: UInt64) throws(FileError) -> Int {
        var filled = 0
        while filled < room.count {
            let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: room[filled...])
            let got = unsafe try read(into: rest, at: offset + UInt64(filled))
            if got == 0 { break }
            filled += got
        }
        return filled
    }

    /// Shows a stretch of the file, one block after the other, all in the same room: new room for each would be a page
    /// fault for each page of it.
    /// - Parameter take: takes a block that is `blockBytes` long, or the last.
    /// - Returns: whether the file goes that far; where it does not, what there is of it was shown.
    package func visit(
        _ range: Range<UInt64>, blockBytes: Int, _ take: (RawSpan) -> Void
    ) throws(FileError) -> Bool {
        var block: [UInt8] = []
        var place = range.lowerBound
        while place < range.upperBound {
            let wanted = Int(min(UInt64(blockBytes), range.upperBound - place))
            try read(into: &block, at: place, count: wanted)
            if !block.isEmpty { unsafe take(block.span.bytes) }
            if block.count < wanted { return false }
            place += UInt64(wanted)
        }
        return true
    }

    /// Writes all of an array at `offset`.
    package func write(_ bytes: [UInt8], at offset: UInt64) throws(FileError) {
        unsafe try write(bytes.span.bytes, at: offset)
    }
}

extension FileSystem {
    /// The whole content of a small file; nil when it does not exist.
    /// - Parameter bytesMax: a longer file is the error `EFBIG`: a part of it must not be taken for the whole.
    package func contents(of path: FilePath, bytesMax: Int = 64 << 20) throws(FileError) -> [UInt8]? {
        guard try status(of: path) != nil else { return nil }
        let file = try open(path, .read)
        defer { file.close() }
        let length = try file.status().length
        guard length <= UInt64(bytesMax) else { throw FileError("read", path, .fileTooLarge) }
        return try file.bytes(at: 0, count: Int(length))
    }

    /// The whole content of a regular file that a person named, and its status; nil when it does not exist. A link to
    /// one is followed.
    /// - Throws: a ``FileError``: `EISDIR` for a directory, `ESPIPE` for what else is no regular file, `EFBIG` when it
    ///   is longer than `bytesMax`.
    package func regularFile(
        at path: FilePath, bytesMax: Int
    ) throws(FileError) -> (bytes: [UInt8], status: FileStatus)? {
        guard try status(of: path) != nil else { return nil }
        let file = try open(path, .read)
        defer { file.close() }
        let status = try file.status()
        switch status.kind {
        case .regular: break
        case .directory: throw FileError("read", path, .isDirectory)
        case .symbolicLink, .other: throw FileError("read", path, .illegalSeek)
        }
        guard status.length <= UInt64(bytesMax) else { throw FileError("read", path, .fileTooLarge) }
        return (try file.bytes(at: 0, count: Int(status.length)), status)
    }

    /// Makes durable what others wrote to a file. `fdatasync(2)`; its name is not.
    package func synchronizeFile(_ path: FilePath) throws(FileError) {
        let file = try open(path, .update)
        defer { file.close() }
        try file.synchronize()
    }

    /// Puts `bytes` under `path` so that a reader finds the old content or the new, whole, also after a power cut:
    /// a temporary file beside it, sync, rename, sync of the directory.
    package func replaceContents(of path: FilePath, with bytes: [UInt8], permissions: UInt16) throws(FileError) {
        let directory = path.removingLastComponent()
        let temporary = directory.appending((path.lastComponent?.string ?? "file") + ".new")
        if try status(of: temporary) != nil { try unlink(temporary) }
        let file = try open(temporary, .create(permissions: permissions))
        defer { file.close() }
        do throws(FileError) {
            try file.write(bytes, at: 0)
            try file.synchronize()
        } catch {
            discard(temporary, after: error)
            throw error
        }
        try rename(temporary, to: path, replacing: true)
        try synchronizeDirectory(directory)
    }

    /// Removes what there is of a temporary file that could not be finished, where the disk is full: the room that it
    /// takes is wanted elsewhere. One that can not be removed is replaced by the next of its name.
    package func discard(_ temporary: FilePath, after error: FileError) {
        guard error.isDiskFull else { return }
        do throws(FileError) { if try status(of: temporary) != nil { try unlink(temporary) } } catch {
            // Whoever calls tells what failed first, which says why.
        }
    }
}
