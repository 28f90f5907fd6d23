package import LedgerAPI
package import LedgerEngine
import LedgerModel
package import LedgerSystem
package import SystemPackage

extension LedgerService {
    /// Which of these destinations, by their places, are the ledger's own files or lie among them: `--overwrite` would
    /// take the log for a file like any other.
    func own(_ destinations: [Destination]) async -> Set<Int> {
        let (home, fileSystem) = (ledger.home, ledger.world.fileSystem)
        return await ledger.world.blocking.run {
            var places: [DiskName: [String]] = [:]
            for directory in Set(destinations.map { DiskName($0.directory) }) {
                do throws(FileError) {
                    places[directory] = try home.components(of: FilePath(directory.text), fileSystem)
                } catch {
                    // Nothing can be written there; the worker says why.
                    continue
                }
            }
            var own: Set<Int> = []
            for (index, destination) in destinations.enumerated() {
                guard let place = places[DiskName(destination.directory)] else { continue }
                // What the origin calls it may be what the ledger calls its own.
                let isOpen = place.isEmpty && destination.name == nil && destination.collision == .overwrite
                if isOpen || LedgerHome.owns(destination.name, in: place) { own.insert(index) }
            }
            return own
        }
    }
}

extension LedgerHome {
    /// Refuses a path that somebody chose to write at, and that is one of the ledger's own or lies among them.
    /// - Throws: ``Problem``: it is; or the disk does not say where it leads.
    package func requireForeign(_ path: FilePath, _ fileSystem: any FileSystem) throws(Problem) {
        let isOwn: Bool
        do throws(FileError) {
            // What a link leads to is what would be written.
            let isLink = try fileSystem.standing(at: path)?.kind == .symbolicLink
            let place = isLink ? try fileSystem.resolved(path) : path
            let below = try components(of: place.removingLastComponent(), fileSystem)
            isOwn = below.map { Self.owns(place.lastComponent?.string, in: $0) } ?? false
        } catch { throw Problem(LedgerError.file(error)) }
        if isOwn { throw .own(path.string, self) }
    }
}

extension Problem {
    /// A file that is to be written where the ledger's own are.
    package static func own(_ path: String, _ home: LedgerHome) -> Problem {
        Problem(
            .badDestination, "'\(path)' is the ledger's own", cause: "it lives in '\(home.path)'",
            next: "give another directory or name", exitCode: .usage)
    }
}
