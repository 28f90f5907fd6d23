import LedgerModel
package import LedgerSystem
package import SystemPackage

extension FileSystem {
    /// Makes a directory that a download goes to, with those above it, and syncs each one's entry, so that no name in
    /// it can be lost with it. Free when it exists.
    func prepareDirectory(_ path: FilePath) throws(FileError) {
        var missing: [FilePath] = []
        var place = path
        while try status(of: place) == nil, !place.components.isEmpty {
            missing.append(place)
            place = place.removingLastComponent()
        }
        guard !missing.isEmpty else { return }
        try createDirectory(path, permissions: 0o777)
        for made in missing.reversed() { try synchronizeDirectory(made.removingLastComponent()) }
    }
}

extension FileSystem {
    /// Whether a directory, made or not, has room for so many bytes more. True as well when nobody can tell: then
    /// writing finds out.
    package func hasRoom(for bytes: UInt64, in directory: FilePath) -> Bool {
        do throws(FileError) {
            var place = directory
            while try status(of: place) == nil, !place.components.isEmpty { place = place.removingLastComponent() }
            return try availableBytes(at: place) >= bytes
        } catch { return true }
    }
}
