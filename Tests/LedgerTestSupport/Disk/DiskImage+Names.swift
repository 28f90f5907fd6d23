import LedgerModel
import LedgerSystem
import SystemPackage

extension DiskImage {
    /// The inode a path leads to; nil when its last name is missing.
    func find(_ path: FilePath, _ call: SimulatedCall) throws(FileError) -> InodeNumber? {
        guard let place = try place(path, call) else { return Self.root }
        return inodes[place.directory]!.names[place.name]
    }

    /// The inode a path leads to, or `ENOENT`.
    func require(_ path: FilePath, _ call: SimulatedCall) throws(FileError) -> InodeNumber {
        guard let inode = try find(path, call) else { throw error(call, path, .noSuchFileOrDirectory) }
        return inode
    }

    /// The directory a path's last name is looked up in, and that name; nil for the root.
    func place(_ path: FilePath, _ call: SimulatedCall) throws(FileError) -> NamePlace? {
        var names: [String] = []
        // Text and not `FilePath.components`: their checks are most of a sweep's time in a debug build.
        // By bytes: a slash that carries a combining mark is another character, but the same slash to a disk.
        for name in path.string.utf8.split(separator: UInt8(ascii: "/")).map({ String(Substring($0)) }) {
            switch name {
            case ".": break
            case "..": _ = names.popLast()
            default: names.append(name)
            }
        }
        guard let last = names.popLast() else { return nil }
        var directory = Self.root
        for name in names {
            guard let next = inodes[directory]!.names[DiskName(name)] else {
                throw error(call, path, .noSuchFileOrDirectory)
            }
            guard inodes[next]!.kind == .directory else { throw error(call, path, .notDirectory) }
            directory = next
        }
        return NamePlace(directory: directory, name: DiskName(last))
    }

    /// Makes an inode and its name.
    mutating func make(_ kind: Inode.Kind, _ permissions: UInt16, at place: NamePlace) -> InodeNumber {
        let number = nextInode
        nextInode += 1
        inodes[number] = Inode(
            kind: kind, permissions: permissions, device: inodes[place.directory]!.device, modified: clockNanoseconds,
            durableModified: clockNanoseconds, changed: clockNanoseconds, durableChanged: clockNanoseconds)
        change([.init(directory: place.directory, name: place.name, target: number)])
        return number
    }

    /// Changes names as seen, and notes that no sync has made it durable.
    @discardableResult
    mutating func change(_ changes: [NameOperation.Change], after: Int? = nil) -> Int {
        let operation = NameOperation(
            serial: step(), changes: changes, clockNanoseconds: clockNanoseconds, after: after)
        for change in changes {
            let before = inodes[change.directory]!.names[change.name]
            inodes[change.directory]!.names[change.name] = change.target
            if let before { inodes[before]!.links -= 1 }
            if let target = change.target {
                inodes[target]!.links += 1
                inodes[target]!.changed = clockNanoseconds
            }
        }
        pendingNames.append(operation)
        return operation.serial
    }

    mutating func rename(_ source: FilePath, to target: FilePath, replacing: Bool) throws(FileError) {
        guard let from = try place(source, .rename), let to = try place(target, .rename) else {
            throw error(.rename, source, .resourceBusy)
        }
        guard let moved = inodes[from.directory]!.names[from.name] else {
            throw error(.rename, source, .noSuchFileOrDirectory)
        }
        if let taken = inodes[to.directory]!.names[to.name] {
            if !replacing { throw error(.rename, target, .fileExists) }
            if taken == moved { return }
            try checkReplacing(taken, by: moved, source)
        }
        if inodes[moved]!.kind == .directory && isInside(to.directory, moved) {
            throw error(.rename, source, .invalidArgument)
        }
        let remove = NameOperation.Change(directory: from.directory, name: from.name, target: nil)
        let add = NameOperation.Change(directory: to.directory, name: to.name, target: moved)
        if from.directory == to.directory {
            change([remove, add])
        } else {
            let added = change([add])
            change([remove], after: added)
        }
    }

    mutating func unlink(_ path: FilePath) throws(FileError) {
        guard let place = try place(path, .unlink) else { throw error(.unlink, path, .isDirectory) }
        let inode = try require(path, .unlink)
        if inodes[inode]!.kind == .directory { throw error(.unlink, path, .isDirectory) }
        change([.init(directory: place.directory, name: place.name, target: nil)])
        collect(inode)
    }

    mutating func removeDirectory(_ path: FilePath) throws(FileError) {
        guard let place = try place(path, .rmdir) else { throw error(.rmdir, path, .resourceBusy) }
        let inode = try require(path, .rmdir)
        if inodes[inode]!.kind != .directory { throw error(.rmdir, path, .notDirectory) }
        if !inodes[inode]!.names.isEmpty { throw error(.rmdir, path, .directoryNotEmpty) }
        change([.init(directory: place.directory, name: place.name, target: nil)])
    }

    private func checkReplacing(_ taken: InodeNumber, by moved: InodeNumber, _ path: FilePath) throws(FileError) {
        switch (inodes[moved]!.kind, inodes[taken]!.kind) {
        case (.file, .directory): throw error(.rename, path, .isDirectory)
        case (.directory, .file): throw error(.rename, path, .notDirectory)
        case (.directory, .directory):
            if !inodes[taken]!.names.isEmpty { throw error(.rename, path, .directoryNotEmpty) }
        case (.file, .file): break
        }
    }

    /// Whether a directory is `ancestor` or below it.
    private func isInside(_ directory: InodeNumber, _ ancestor: InodeNumber) -> Bool {
        directory == ancestor
            || inodes[ancestor]!.names.values.contains { inodes[$0]!.kind == .directory && isInside(directory, $0) }
    }

    /// An error as the real file system words it.
    func error(_ call: SimulatedCall, _ path: FilePath, _ errno: Errno) -> FileError {
        FileError(call.rawValue, path, errno)
    }
}
