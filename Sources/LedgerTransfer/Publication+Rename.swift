import LedgerModel
import LedgerSystem
import SystemPackage

extension Publication {
    private enum Renaming: Sendable {
        /// Whether another file went for it.
        case done(displaced: Bool)
        case taken
        case failed(Failure)
    }

    /// Renames what is on record. A name that was taken since it was chosen is given up for the next.
    func rename(_ members: inout [Member]) async {
        let fileSystem = self.fileSystem
        let named = members.indices.compactMap { index -> (index: Int, member: Member, path: String)? in
            guard case .onRecord(let path) = members[index].stage else { return nil }
            return (index, members[index], path)
        }
        guard !named.isEmpty else { return }
        let renamings = await blocking.run {
            named.map { entry in
                do throws(Failure) { try entry.member.requireTrust() } catch { return Renaming.failed(error) }
                return Self.rename(entry.member.item, to: FilePath(entry.path), in: fileSystem)
            }
        }
        for (entry, renaming) in zip(named, renamings) {
            switch renaming {
            case .done(let displaced): members[entry.index].stage = .renamed(path: entry.path, displaced: displaced)
            case .taken: members[entry.index].giveUpPath()
            case .failed(let failure): members[entry.index].fail(failure)
            }
        }
    }

    private static func rename(_ item: Item, to path: FilePath, in fileSystem: any FileSystem) -> Renaming {
        do throws(FileError) {
            let part = try fileSystem.status(of: item.partPath)
            let standing = try fileSystem.status(of: path)
            guard let part else { return confirm(item, standing) }
            if let standing, standing.inode == part.inode, standing.device == part.device, part.inode != 0 {
                // Two names of one file: a rename done by link and unlink was cut short between the two.
                try fileSystem.unlink(item.partPath)
                return .done(displaced: false)
            }
            do throws(Failure) { try check(part, of: item) } catch { return .failed(error) }
            try stamp(item, in: fileSystem)
            let replaces = standing.map { item.mayReplace($0, at: path) } ?? (item.collision == .overwrite)
            do throws(FileError) {
                try fileSystem.rename(item.partPath, to: path, replacing: replaces)
            } catch {
                guard error.errno == .fileExists, item.takesOtherNames else { throw error }
                return .taken
            }
            return .done(displaced: standing != nil)
        } catch {
            if error.errno == .fileExists || error.errno == .isDirectory {
                return .failed(.destinationTaken(path))
            }
            return .failed(.disk(error))
        }
    }

    /// What stands under the part's name is what was verified: the very file that was written, or, where a crash came
    /// between, one with its digest.
    private static func check(_ status: FileStatus, of item: Item) throws(Failure) {
        var isSame = item.isProven(status)
        if let part = item.part {
            let own = try disk { () throws(FileError) in try part.file.status() }
            isSame =
                status.kind == .regular && status.length == item.length && own.inode == status.inode
                && own.device == status.device
        }
        guard isSame else {
            throw Failure(
                .partLost, "the finished part '\(item.partPath)' was changed by someone else", isRetryable: true)
        }
    }

    /// Gives a part the modification time it is to have, before its identity goes on record.
    private static func stamp(_ item: Item, in fileSystem: any FileSystem) throws(FileError) {
        guard let modified = item.modifiedNanoseconds else { return }
        let file: any File
        if let part = item.part { file = part.file } else { file = try fileSystem.open(item.partPath, .update) }
        defer { if item.part == nil { file.close() } }
        do throws(FileError) { try file.setModified(nanoseconds: modified) } catch {
            // A file system without such times has none to keep.
            guard [.notSupported, .noFunction].contains(error.errno) else { throw error }
        }
    }

    /// A crash may have come after the rename: then what stands there has the digest that was verified.
    private static func confirm(_ item: Item, _ standing: FileStatus?) -> Renaming {
        guard let standing, item.isProven(standing) else {
            return .failed(
                Failure(.partLost, "the finished part '\(item.partPath)' is gone", isRetryable: true))
        }
        return .done(displaced: item.replaced != nil || item.collision == .overwrite)
    }

    /// Syncs the directories, looks at what now stands there, and records `completed` for all in one batch.
    func complete(_ members: inout [Member]) async {
        let renamed = members.indices.filter {
            if case .renamed = members[$0].stage { true } else { false }
        }
        guard !renamed.isEmpty else { return }
        #if PLANTED_BUGS
            if PlantedBug.renamedBeforeSync.isOn { await synchronizeLate(members) }
        #endif
        let problems = await synchronize(Set(renamed.map { members[$0].item.directory }))
        var batch: [WorkerReport] = []
        var published: [(index: Int, file: Published)] = []
        for (index, identity) in zip(renamed, await identities(of: renamed.map { members[$0] })) {
            guard case .renamed(let path, let displaced) = members[index].stage else { continue }
            do throws(Failure) {
                if let failure = problems[members[index].item.directory] { throw failure }
                try members[index].requireTrust()
                let identity = try identity.get()
                published.append((index, Published(path: path, identity: identity)))
                batch.append(WorkerReport(members[index].item.lease, [.completed(identity)]))
            } catch {
                if !displaced { await takeBack(members[index].item, from: path) }
                members[index].fail(error)
            }
        }
        guard !batch.isEmpty else { return }
        for (entry, stop) in zip(published, await reporting.report(batch)) {
            members[entry.index].stage = .done(stop == nil ? .published(entry.file) : .refused(.stopped))
        }
    }

    /// What stands under the name that each has now.
    private func identities(of members: [Member]) async -> [Result<FileIdentity, Failure>] {
        await blocking.run { [fileSystem] in
            members.map { member in
                let path = FilePath(member.path ?? "")
                do throws(FileError) {
                    guard let status = try fileSystem.status(of: path) else {
                        throw FileError("lstat", path, .noSuchFileOrDirectory)
                    }
                    return .success(status.identity)
                } catch { return .failure(.disk(error)) }
            }
        }
    }

    /// Gives a file that can not be completed the name of its part again, which is where the log will look for its
    /// bytes. One that another file went for has to stand for that now.
    private func takeBack(_ item: Item, from path: String) async {
        let fileSystem = fileSystem
        do throws(FileError) {
            try await blocking.run { () throws(FileError) in
                try fileSystem.rename(FilePath(path), to: item.partPath, replacing: false)
                try fileSystem.synchronizeDirectory(item.partPath.removingLastComponent())
            }
        } catch {
            // The disk that failed before fails on, and what is told is why it did at first. The next attempt finds the
            // part gone, claims nothing of it any longer, and fetches it anew.
        }
    }

    /// Syncs directories, each once; the failures by directory.
    func synchronize(_ directories: Set<FilePath>) async -> [FilePath: Failure] {
        let fileSystem = self.fileSystem
        #if PLANTED_BUGS
            if PlantedBug.directoryNotSynced.isOn { return [:] }
        #endif
        var problems: [FilePath: Failure] = [:]
        for directory in directories.sorted(by: { $0.string < $1.string }) {
            do throws(FileError) {
                try await blocking.run { () throws(FileError) in try fileSystem.synchronizeDirectory(directory) }
            } catch { problems[directory] = .disk(error) }
        }
        return problems
    }
}
