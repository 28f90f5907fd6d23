/// A directory that was moved as a whole, with all that stands in it, by somebody else than the ledger.
package struct Relocation: Hashable, Sendable, Codable {
    /// Where it was: absolute, without a trailing slash.
    package let from: String
    /// Where it is.
    package let to: String

    /// A relocation that was checked when it was parsed or recorded.
    package init(from: String, to: String) {
        self.from = from
        self.to = to
    }

    /// Parses two directories that a person or an app gave.
    ///
    /// One that lies in the other is refused: what was moved already would seem to be moved again.
    /// - Throws: ``DestinationProblem`` for a directory that is not absolute; `.nested` for one in the other.
    package static func parse(from: String, to: String) throws(DestinationProblem) -> Relocation {
        let relocation = Relocation(
            from: try Destination.parse(directory: from, name: nil).directory,
            to: try Destination.parse(directory: to, name: nil).directory)
        guard relocation.moved(relocation.to) == nil, relocation.inverse.moved(relocation.from) == nil else {
            throw .nested(relocation.from, relocation.to)
        }
        return relocation
    }

    /// The way back.
    package var inverse: Relocation { Relocation(from: to, to: from) }

    /// Where what stood at an absolute path is now; nil when that was not in the directory. By bytes, as a disk goes.
    package func moved(_ path: String) -> String? {
        rest(of: path).map { $0.isEmpty ? to : (to == "/" ? "" : to) + $0 }
    }

    /// Where what stood in another place is now; nil when that was not in the directory.
    package func moved(_ place: Destination) -> Destination? {
        moved(place.directory).map { Destination(directory: $0, name: place.name, collision: place.collision) }
    }

    /// How many components of a path lie below the directory; nil when it is not in there.
    func depth(of path: String) -> Int? { rest(of: path).map { $0.utf8.count { $0 == UInt8(ascii: "/") } } }

    /// What follows the directory in a path, with the slash before it; empty for the directory itself.
    private func rest(of path: String) -> String? {
        if from == "/" { return path == "/" ? "" : path }
        guard path.utf8.starts(with: from.utf8) else { return nil }
        let rest = path.utf8.dropFirst(from.utf8.count)
        return rest.isEmpty || rest.first == UInt8(ascii: "/") ? String(Substring(rest)) : nil
    }
}
