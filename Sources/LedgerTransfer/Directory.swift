import LedgerModel
package import LedgerSystem
package import SystemPackage

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
