import LedgerModel
import LedgerSystem
import SystemPackage

extension Opening {
    /// Finishes a compaction that was cut short, and removes temporary files and segments that never counted.
    mutating func clearLeftovers(_ manifest: Manifest) throws(LogError) {
        let out = manifest.segments.filter { !$0.state.isInLog }
        let live = Set(manifest.live.map(\.first))
        let names = try disk("list the segments") { () throws(FileError) in try fileSystem.list(home.log) }
        var isChanged = false
        for name in names {
            let path = home.log.appending(name)
            guard let first = SegmentName.first(name) else {
                if name.hasSuffix(LogHome.newSuffix) {
                    try disk("remove a temporary file") { () throws(FileError) in try fileSystem.unlink(path) }
                    report.finished.append(name)
                    isChanged = true
                }
                continue
            }
            if live.contains(first) { continue }
            if let entry = out.first(where: { $0.first == first }) {
                try disk("finish a compaction") { () throws(FileError) in
                    try Compaction.take(entry, fileSystem, home)
                }
            } else {
                // It holds no record: opening is refused otherwise.
                try disk("remove an empty segment") { () throws(FileError) in try fileSystem.unlink(path) }
            }
            report.finished.append(name)
            isChanged = true
        }
        if isChanged {
            try disk("finish a compaction") { () throws(FileError) in
                try fileSystem.synchronizeDirectory(home.archive)
                try fileSystem.synchronizeDirectory(home.log)
            }
        }
        let replaced = home.manifests + [home.trees]
        let known = Set(replaced.compactMap { $0.lastComponent.map { $0.string + LogHome.newSuffix } })
        try clearTemporary(home.path) { known.contains($0) }
        try clearTemporary(home.snapshots) { $0.hasSuffix(LogHome.newSuffix) }
        try clearTemporary(home.archive) { $0.hasSuffix(LogHome.newSuffix) }
    }

    private mutating func clearTemporary(
        _ directory: FilePath, where isTemporary: (String) -> Bool
    ) throws(LogError) {
        let names = try disk("look for temporary files") { () throws(FileError) in try fileSystem.list(directory) }
        for name in names where isTemporary(name) {
            let path = directory.appending(name)
            try disk("remove a temporary file") { () throws(FileError) in try fileSystem.unlink(path) }
            report.finished.append(name)
        }
    }
}
