extension DiskImage {
    /// What a good `fdatasync` does: everything written to the file so far is durable. Its name is not.
    mutating func synchronize(_ number: InodeNumber) {
        var inode = inodes[number]!
        inodes[number] = nil
        if inode.hasDiverged {
            for change in inode.pending { inode.durable.apply(change.what) }
        } else {
            inode.durable = inode.content
        }
        inode.pending = []
        inode.durableModified = inode.modified
        inode.durableChanged = inode.changed
        inodes[number] = inode
    }

    /// What a failed one does: the bytes are clean now, whether or not they reached the disk.
    mutating func failSynchronize(_ number: InodeNumber) {
        switch failedSyncFate {
        case .kept: synchronize(number)
        case .lost: lose(number)
        case .lostBeside:
            lose(number)
            loseBeside(number)
        }
    }

    /// What a failed sync of a file or directory does to the files of its device, where that is one of its own.
    mutating func loseBeside(_ number: InodeNumber) {
        let device = inodes[number]!.device
        guard failedSyncFate == .lostBeside, device != Inode.rootDevice else { return }
        for (other, inode) in inodes where inode.device == device && !inode.pending.isEmpty { lose(other) }
    }

    /// What was not synced is seen, and never reaches the disk.
    private mutating func lose(_ number: InodeNumber) {
        inodes[number]!.hasDiverged = true
        inodes[number]!.pending = []
    }

    /// What `fsync` on a directory does: its names as they are seen are durable, and with a name that moved here from
    /// another directory nothing else; with one that moved away, its new name.
    mutating func synchronizeDirectory(_ number: InodeNumber) {
        var wanted = Set<Int>()
        for operation in pendingNames.reversed() {
            let isOurs = operation.changes.contains { $0.directory == number }
            guard isOurs || wanted.contains(operation.serial) else { continue }
            wanted.insert(operation.serial)
            wanted.formUnion(operation.after.map { [$0] } ?? [])
        }
        // What was done to the same names earlier goes first: an operation is durable only with those it stands on.
        let closed = closure(of: wanted)
        var touched: [InodeNumber] = []
        for operation in pendingNames where closed.contains(operation.serial) {
            touched += makeDurable(operation)
        }
        pendingNames.removeAll { closed.contains($0.serial) }
        for inode in touched { collect(inode) }
    }

    /// The operations named and all they stand on: earlier ones on the same names, and those they come after.
    func closure(of serials: Set<Int>) -> Set<Int> {
        var wanted = serials
        var wantedPlaces = Set<NamePlace>()
        for operation in pendingNames.reversed() {
            let isWanted =
                wanted.contains(operation.serial) || operation.changes.contains { wantedPlaces.contains($0.place) }
            guard isWanted else { continue }
            wanted.insert(operation.serial)
            if let after = operation.after { wanted.insert(after) }
            for change in operation.changes { wantedPlaces.insert(change.place) }
        }
        return wanted
    }

    /// Makes a change of names durable; answers the inodes it concerned.
    mutating func makeDurable(_ operation: NameOperation) -> [InodeNumber] {
        var touched: [InodeNumber] = []
        for change in operation.changes {
            touched += makeDurable(change)
            guard let target = change.target, let before = inodes[target]?.durableChanged else { continue }
            inodes[target]!.durableChanged = max(before, operation.clockNanoseconds)
        }
        return touched
    }

    private mutating func makeDurable(_ change: NameOperation.Change) -> [InodeNumber] {
        // The directory itself may be gone by now, its names with it.
        guard inodes[change.directory] != nil else { return change.target.map { [$0] } ?? [] }
        let before = inodes[change.directory]!.durableNames[change.name]
        inodes[change.directory]!.durableNames[change.name] = change.target
        if let before { inodes[before]?.durableLinks -= 1 }
        if let target = change.target { inodes[target]?.durableLinks += 1 }
        return [before, change.target].compactMap { $0 }
    }

    /// Forgets an inode that nothing can reach any more, now or after a power cut.
    mutating func collect(_ number: InodeNumber) {
        guard let inode = inodes[number], inode.links == 0, inode.durableLinks == 0, inode.handles == 0,
            !pendingNames.contains(where: { $0.changes.contains { $0.target == number } })
        else { return }
        inodes[number] = nil
    }
}

extension PagedBytes {
    /// Does a change that was noted before.
    mutating func apply(_ change: ContentChange.What) {
        switch change {
        case .write(let offset, let bytes): bytes.withUnsafeBytes { write($0, at: offset) }
        case .length(let length): setLength(length)
        }
    }
}
