import LedgerModel
import LedgerSystem
import SystemPackage

extension Publication {
    /// One file on its way through a group.
    struct Member: Sendable {
        let item: Item
        var stage: Stage
        /// The number of the name that is tried; 0 is the name itself.
        var number = 0
        /// Whether `verified`, and what must precede it, is on record.
        var isVerified = false
        /// Of the device, for a member whose part is not open.
        var trust: SyncTrust?

        enum Stage: Sendable {
            case unsynced
            case unnamed
            case named(path: String)
            case onRecord(path: String)
            /// Whether another file went for it.
            case renamed(path: String, displaced: Bool)
            case done(Outcome)
        }

        init(_ item: Item) {
            self.item = item
            if let path = item.verifiedPath {
                stage = .onRecord(path: path)
                isVerified = true
            } else {
                stage = .unsynced
            }
        }

        var path: String? {
            switch stage {
            case .named(let path), .onRecord(let path), .renamed(let path, _): path
            case .unsynced, .unnamed, .done: nil
            }
        }

        /// Whether it neither is done nor waits for the others at the end.
        var isUnderWay: Bool {
            switch stage {
            case .unsynced, .unnamed, .named, .onRecord: true
            case .renamed, .done: false
            }
        }

        /// Throws when a sync failed on the device that may have taken what this member's syncs stand for.
        func requireTrust() throws(Failure) {
            try item.part?.requireTrust()
            try trust?.require(for: item.partPath)
        }

        mutating func fail(_ failure: Failure) {
            stage = .done(.refused(.failed(failure, isVerified: isVerified)))
        }

        mutating func stop() { stage = .done(.refused(.stopped)) }

        /// The path was taken by someone else: the next number is tried.
        mutating func giveUpPath() {
            number += 1
            stage = .unnamed
        }
    }

    /// Publishes a group; one outcome for each item, in order.
    func publishGroup(_ items: [Item]) async -> [Outcome] {
        var members = items.map { Member($0) }
        // A path on record already is ours.
        var claims = Set(members.compactMap(\.path).map(DiskName.init))
        claimed.formUnion(claims)
        await beginTrust(&members)
        await makeDurable(&members)
        while members.contains(where: \.isUnderWay) {
            await choosePaths(&members, &claims)
            await recordVerified(&members)
            await rename(&members)
        }
        await complete(&members)
        claimed.subtract(claims)
        return members.map { member in
            guard case .done(let outcome) = member.stage else {
                preconditionFailure("every member of a group has an outcome")
            }
            return outcome
        }
    }

    /// An open part has trust of its own, from before its first byte.
    private func beginTrust(_ members: inout [Member]) async {
        let fileSystem = self.fileSystem
        for index in members.indices where members[index].item.part == nil {
            let (item, path) = (members[index].item, members[index].path)
            do throws(FileError) {
                members[index].trust = try await blocking.run { () throws(FileError) in
                    // Of the file, wherever it stands: the directory may be a link.
                    var status = try fileSystem.status(of: item.partPath)
                    if status == nil, let path { status = try fileSystem.status(of: FilePath(path)) }
                    return status.map { fileSystem.failedSyncs.trust(on: $0.device) }
                }
            } catch { members[index].fail(.disk(error)) }
        }
    }

    /// Content of each part, then the directories of those whose name is not durable yet.
    private func makeDurable(_ members: inout [Member]) async {
        #if PLANTED_BUGS
            if PlantedBug.renamedBeforeSync.isOn {
                for index in members.indices where members[index].item.part != nil { members[index].stage = .unnamed }
                return
            }
        #endif
        let parts = members.indices.compactMap { index in members[index].item.part.map { (index, $0) } }
        let failures = await synchronizeContents(parts)
        let fresh = parts.filter { failures[$0.0] == nil && !$0.1.isAnchored }
        let problems = await synchronize(Set(fresh.map { $0.1.path.removingLastComponent() }))
        for (index, part) in parts {
            do throws(Failure) {
                if let failure = failures[index] { throw failure }
                if let failure = problems[part.path.removingLastComponent()], !part.isAnchored {
                    part.poison(with: failure)
                    throw failure
                }
                try part.requireTrust()
                part.markAnchored()
                members[index].stage = .unnamed
            } catch { members[index].fail(error) }
        }
    }

    /// Several syncs at once, which a disk puts together; each thread takes its part of the files in one turn.
    private func synchronizeContents(_ parts: [(Int, PartFile)]) async -> [Int: Failure] {
        let (blocking, strands) = (self.blocking, min(parts.count, Self.syncsAtOnceMax))
        return await withTaskGroup(of: [Int: Failure].self) { group in
            for strand in 0..<strands {
                group.addTask {
                    await blocking.run {
                        var failures: [Int: Failure] = [:]
                        for (index, part) in stride(from: strand, to: parts.count, by: strands).map({ parts[$0] }) {
                            do throws(Failure) { try part.synchronizeContent() } catch { failures[index] = error }
                        }
                        return failures
                    }
                }
            }
            return await group.reduce(into: [:]) { $0.merge($1) { one, _ in one } }
        }
    }

    /// The first free name of each; a name that another member or another group holds is not free.
    private func choosePaths(_ members: inout [Member], _ claims: inout Set<DiskName>) async {
        let fileSystem = self.fileSystem
        let unnamed = members.indices.compactMap { index -> (index: Int, item: Item, start: Int)? in
            guard case .unnamed = members[index].stage else { return nil }
            return (index, members[index].item, members[index].number)
        }
        guard !unnamed.isEmpty else { return }
        // Nobody else chooses meanwhile: a publication has one group on its way.
        let choices = await blocking.run { [claimed] in
            var taken = claimed
            return unnamed.map { member in
                let choice = Self.freeName(for: member.item, from: member.start, taken: taken, in: fileSystem)
                if case .success(let (_, path)) = choice { taken.insert(DiskName(path)) }
                return choice
            }
        }
        for (member, choice) in zip(unnamed, choices) {
            switch choice {
            case .success(let (number, path)):
                members[member.index].number = number
                members[member.index].stage = .named(path: path)
                claimed.insert(DiskName(path))
                claims.insert(DiskName(path))
            case .failure(let failure):
                members[member.index].fail(failure)
            }
        }
    }

    private static func freeName(
        for item: Item, from start: Int, taken: Set<DiskName>, in fileSystem: any FileSystem
    ) -> Result<(Int, String), Failure> {
        for number in start..<max(start, numberedNamesMax) {
            let name = number == 0 ? item.name : FileName.numbered(item.name, number)
            let path = item.directory.appending(name)
            if taken.contains(DiskName(path.string)) {
                if item.takesOtherNames { continue }
                return .failure(.destinationTaken(path))
            }
            do throws(FileError) {
                guard let standing = try fileSystem.status(of: path) else { return .success((number, path.string)) }
                if item.mayReplace(standing, at: path) { return .success((number, path.string)) }
                if item.takesOtherNames { continue }
                return .failure(.destinationTaken(path))
            } catch { return .failure(.disk(error)) }
        }
        return .failure(
            Failure(
                .destinationTaken, "'\(item.name)' and \(numberedNamesMax) numbered names are taken",
                isRetryable: false))
    }

    /// One batch of `verified` for all that have a path and are not on record under it.
    private func recordVerified(_ members: inout [Member]) async {
        var indexes: [Int] = []
        var batch: [WorkerReport] = []
        for index in members.indices {
            guard case .named(let path) = members[index].stage else { continue }
            let item = members[index].item
            let verified = Report.verified(length: item.length, sha256: item.sha256, path: path)
            indexes.append(index)
            batch.append(WorkerReport(item.lease, (members[index].isVerified ? [] : item.earlier) + [verified]))
        }
        guard !batch.isEmpty else { return }
        for (index, stop) in zip(indexes, await reporting.report(batch)) {
            guard case .named(let path) = members[index].stage else { continue }
            switch stop {
            case nil:
                members[index].stage = .onRecord(path: path)
                members[index].isVerified = true
            case .pathTaken: members[index].giveUpPath()
            case .stale, .closed: members[index].stop()
            }
        }
    }
}
