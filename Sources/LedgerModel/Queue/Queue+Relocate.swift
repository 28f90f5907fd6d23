extension Queue {
    /// Has a download go by where its directory is since it was moved; nothing when nothing of it stood in there.
    /// - Throws: `.notFound`; `.orderTooLarge` for a path that is too long; `.destinationTaken` when
    ///   another live download was told to write its file there.
    func relocate(_ id: DownloadID, _ relocation: Relocation) throws(Rejection) -> Decision {
        guard let download = downloads[id] else { throw .notFound(id) }
        guard download.stands(in: relocation) else { return Decision([]) }
        var moved = download
        moved.relocate(relocation)
        try requireBounded(moved.order)
        // It writes where it did when its own directory is none that was moved.
        if download.phase.isLive, moved.order.destination != download.order.destination { try requireFree(moved) }
        return Decision([.init(id, .relocated(relocation))])
    }
}

extension Download {
    /// Whether anything of it stands, or is to stand, in the directory that was moved.
    package func stands(in relocation: Relocation) -> Bool {
        let paths = [
            order.destination.directory, file?.value.path, standing?.value.file.path, deletion?.value.trashPath,
        ]
        return paths.contains { $0.flatMap(relocation.moved) != nil }
    }

    /// Goes by where the directory is now: nothing on the disk is touched. Its worker begins anew there, with what the
    /// part file holds.
    mutating func relocate(_ relocation: Relocation) {
        if let destination = relocation.moved(order.destination) {
            let depth = relocation.depth(of: order.destination.directory) ?? 0
            order.destination = destination
            // Whoever says where the directory is names it, whatever a server had named of it before.
            order.take(namedComponents: min(order.options.value.namedComponents, UInt32(clamping: depth)))
            if phase.isLive { epoch += 1 }
        }
        file = file.map { Shared($0.value.moved(by: relocation)) }
        if let old = standing?.value {
            standing = Shared(StandingFile(file: old.file.moved(by: relocation), origin: old.origin))
        }
        if let old = deletion?.value { deletion = Shared(old.moved(by: relocation)) }
    }
}

extension Order {
    /// An order as it was before it was changed, for the place of one that went by another directory since.
    func standing(where other: Order) -> Order {
        var order = self
        order.destination = other.destination
        order.take(namedComponents: other.options.value.namedComponents)
        return order
    }

    /// Has so many components of its directory be those that a server named.
    fileprivate mutating func take(namedComponents count: UInt32) {
        guard options.value.namedComponents != count else { return }
        var options = options.value
        options.namedComponents = count
        self.options = Shared(options)
    }
}

extension PublishedFile {
    fileprivate func moved(by relocation: Relocation) -> PublishedFile {
        var moved = self
        moved.path = relocation.moved(path) ?? path
        return moved
    }
}

extension Deletion {
    /// Where in the trash the file is, or was; nil when it never was there.
    fileprivate var trashPath: String? {
        switch self {
        case .trash(let path), .expired(let path): path
        case .keepFile, .purge, .evicted: nil
        }
    }

    fileprivate func moved(by relocation: Relocation) -> Deletion {
        switch self {
        case .trash(let path): .trash(path: relocation.moved(path) ?? path)
        case .expired(let path): .expired(path: relocation.moved(path) ?? path)
        case .keepFile, .purge, .evicted: self
        }
    }
}
