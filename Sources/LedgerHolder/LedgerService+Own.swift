package import LedgerAPI
package import LedgerEngine
import LedgerModel
import LedgerSystem
import SystemPackage

extension LedgerService {
    /// Which of these destinations, by their places, are the ledger's own files or lie among them: `--overwrite` would
    /// take the log for a file like any other.
    func own(_ destinations: [Destination]) async -> Set<Int> {
        let (home, fileSystem) = (ledger.home, ledger.world.fileSystem)
        return await ledger.world.blocking.run {
            var known: [String: [String]?] = [:]
            var own: Set<Int> = []
            for (index, destination) in destinations.enumerated() {
                let directory = destination.directory
                let below: [String]?
                if let before = known[directory] {
                    below = before
                } else {
                    do throws(FileError) {
                        below = try home.components(of: FilePath(directory), fileSystem)
                    } catch {
                        // Nothing can be written there; the worker says why.
                        below = nil
                    }
                    known[directory] = .some(below)
                }
                guard let below else { continue }
                // What the origin calls it may be what the ledger calls its own.
                let isOpen = below.isEmpty && destination.name == nil && destination.collision == .overwrite
                if isOpen || LedgerHome.owns(below + [destination.name].compactMap(\.self)) { own.insert(index) }
            }
            return own
        }
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
