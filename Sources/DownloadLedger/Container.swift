import FoundationEssentials
import LedgerAPI
import LedgerEngine
import LedgerHolder
import LedgerModel
import LedgerSystem
import SystemPackage

/// Where the directory is that may be moved between two starts, and the ledger in it.
struct Container: Hashable {
    /// Its absolute path.
    private let path: String
    /// That of the ledger's home, which lies in it.
    private let home: String

    /// More than two paths never take.
    private static let bytesMax = 1 << 20

    /// The one that is configured; nil when none is, or the home does not lie in it.
    /// - Throws: `bad-destination` for a path that is not absolute.
    init?(_ configuration: LedgerConfiguration, of home: LedgerHome) throws(Problem) {
        guard let url = configuration.container else { return nil }
        do throws(DestinationProblem) {
            path = try Destination.parse(directory: url.path(percentEncoded: false), name: nil).directory
            self.home = try Destination.parse(directory: home.path.string, name: nil).directory
        } catch { throw Problem(error) }
        guard Relocation(from: path, to: path).moved(self.home) != nil else { return nil }
    }

    private init(path: String, home: String) { (self.path, self.home) = (path, home) }

    /// What ``bytes`` say; nil when that is nothing.
    private init?(_ bytes: [UInt8]) {
        let paths = bytes.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
        guard paths.count == 2 else { return nil }
        (path, home) = (paths[0], paths[1])
    }

    /// What is remembered of it: no path holds a zero.
    private var bytes: [UInt8] { Array(path.utf8) + [0] + Array(home.utf8) + [0] }

    /// Has a ledger that was just opened look for files where the container is now, and remembers where that is. What
    /// can not go along, for another download's file is to be there, stays on record where it was.
    func settle(_ service: LedgerService) async throws(Problem) {
        let (place, world) = (service.ledger.home.container, service.ledger.world)
        let known: Container?
        do throws(FileError) {
            known = try await world.blocking.run { () throws(FileError) in
                try world.fileSystem.contents(of: place, bytesMax: Self.bytesMax).flatMap(Container.init)
            }
        } catch { throw Problem(LedgerError.file(error)) }
        if known == self { return }
        let steps = try known.map(relocations) ?? []
        for relocation in steps {
            let command = CommandID(high: world.random(), low: world.random())
            _ = try await service.act(.relocate(relocation), on: .all, command: command)
            // A start that is cut short behind this goes on from there, and moves nothing twice.
            let moved = Relocation(from: path, to: relocation.to).moved(home) ?? home
            try await Container(path: relocation.to, home: moved).remember(at: place, world)
        }
        if steps.isEmpty { try await remember(at: place, world) }
    }

    private func remember(at place: FilePath, _ world: World) async throws(Problem) {
        do throws(FileError) {
            try await world.blocking.run { () throws(FileError) in
                try world.fileSystem.replaceContents(of: place, with: bytes, permissions: 0o600)
            }
        } catch { throw Problem(LedgerError.file(error)) }
    }

    /// Where nothing ever stands: what was moved into its own old place, or out of it, goes by this name.
    private static let between = "/.ledger-container"

    /// How it got from where it was to where it is; nothing when it is no other directory, or the home, which goes
    /// along with it, says that another one was configured then.
    private func relocations(from before: Container) throws(Problem) -> [Relocation] {
        guard before.path != path, Relocation(from: before.path, to: path).moved(before.home) == home else { return [] }
        do throws(DestinationProblem) { return [try Relocation.parse(from: before.path, to: path)] } catch {
            guard case .nested = error else { throw Problem(error) }
            return [Relocation(from: before.path, to: Self.between), Relocation(from: Self.between, to: path)]
        }
    }
}
