package import SystemPackage

extension FileSystem {
    /// The absolute path without links, `.` and `..` of what stands at `path` or may come to stand there: what is there
    /// is resolved, what is not yet is taken as it is written (`weakly_canonical` of C++).
    /// - Returns: the part that is there, and what comes below it.
    /// - Throws: `ENOENT` for a link that leads nowhere.
    package func weaklyResolved(
        _ path: FilePath
    ) throws(FileError) -> (standing: FilePath, missing: [FilePath.Component]) {
        var (known, missing) = (path, [FilePath.Component]())
        while let last = known.lastComponent, try standing(at: known) == nil {
            missing.append(last)
            known.removeLastComponent()
        }
        return (try resolved(known), missing.reversed())
    }

    /// What stands at a path; nil where nothing does, as below a file. `stat(2)`.
    package func standing(at path: FilePath) throws(FileError) -> FileStatus? {
        do throws(FileError) { return try status(of: path) } catch {
            if error.errno == .notDirectory { return nil }
            throw error
        }
    }

    /// Removes a directory with all that is in it; links in it are removed and never followed. A missing one is fine.
    ///
    /// Cut short, it leaves a part behind; nothing is synced.
    package func removeTree(_ path: FilePath) throws(FileError) {
        guard let status = try status(of: path) else { return }
        guard status.kind == .directory else { return try unlink(path) }
        for name in try list(path) { try removeTree(path.appending(name)) }
        try removeDirectory(path)
    }

    /// Copies the bytes of a file from its start to `target`, which must not exist, and makes them durable; the name
    /// is not.
    /// - Parameters:
    ///   - end: how many bytes; nil for all there are.
    ///   - permissions: those of the copy.
    /// - Returns: how many bytes were copied: fewer than `end` when the file is shorter.
    @discardableResult
    package func copy(
        _ source: FilePath, to target: FilePath, upTo end: UInt64? = nil, permissions: UInt16
    ) throws(FileError) -> UInt64 {
        let from = try open(source, .read)
        defer { from.close() }
        let into = try open(target, .create(permissions: permissions))
        defer { into.close() }
        let length = try from.status().length
        let end = min(end ?? length, length)
        var place: UInt64 = 0
        while place < end {
            let part = try from.bytes(at: place, count: Int(min(copyBlockBytes, end - place)))
            if part.isEmpty { break }
            try into.write(part, at: place)
            place += UInt64(part.count)
        }
        try into.synchronize()
        return place
    }

    /// Whether two files hold the same bytes; false when one is missing.
    package func isSame(_ one: FilePath, _ other: FilePath) throws(FileError) -> Bool {
        guard let first = try status(of: one), let second = try status(of: other), first.length == second.length,
            first.kind == .regular, second.kind == .regular
        else { return false }
        let files = (try open(one, .read), try open(other, .read))
        defer {
            files.0.close()
            files.1.close()
        }
        var place: UInt64 = 0
        while place < first.length {
            let count = Int(min(copyBlockBytes, first.length - place))
            let parts = (try files.0.bytes(at: place, count: count), try files.1.bytes(at: place, count: count))
            guard parts.0 == parts.1, !parts.0.isEmpty else { return false }
            place += UInt64(parts.0.count)
        }
        return true
    }
}

/// How much is copied or compared at once, in bytes.
private let copyBlockBytes: UInt64 = 1 << 20
