package import LedgerAPI
import LedgerEngine
import LedgerModel
package import LedgerSystem
package import SystemPackage

/// The directories that files of API clients are confined to, but for what is hidden in them: a daemon that writes
/// wherever it is told writes `.ssh/authorized_keys` one day.
package struct DestinationRoots: Sendable {
    /// The directories, links resolved; the first is where files go when nothing is said.
    private let roots: [FilePath]
    /// Inside of roots, and out of bounds all the same; links resolved.
    private let reserved: [FilePath]
    private let fileSystem: any FileSystem

    /// The longest path there is to the system, its end included, in bytes (`PATH_MAX`).
    private static let pathBytesMax = 4096

    /// The roots, each made when it is not there.
    /// - Parameters:
    ///   - roots: absolute directories, at least one.
    ///   - reserved: directories that no client may write to though they are inside a root, such as the ledger's own
    ///     home, where the tokens are.
    ///   - fileSystem: where they are.
    /// - Throws: a ``Problem`` when one can not be used.
    package init(
        _ roots: [FilePath], reserving reserved: [FilePath] = [], fileSystem: any FileSystem
    ) throws(Problem) {
        precondition(!roots.isEmpty, "there is a place for files when nothing is said")
        self.fileSystem = fileSystem
        do throws(FileError) {
            var resolved: [FilePath] = []
            for root in roots {
                try fileSystem.createDurableDirectory(root, permissions: 0o755)
                resolved.append(try fileSystem.resolved(root))
            }
            self.roots = resolved
            var kept: [FilePath] = []
            for directory in reserved where try fileSystem.status(of: directory) != nil {
                kept.append(try fileSystem.resolved(directory))
            }
            self.reserved = kept
        } catch { throw Problem(LedgerError.file(error)) }
    }

    /// The first root.
    package var firstPath: FilePath { roots[0] }

    /// The first root, as text.
    package var first: String { roots[0].string }

    /// Where a file goes. Looks at the disk.
    ///
    /// - Parameters:
    ///   - directory: below the first root, or an absolute path inside any; nil or empty for the first root itself.
    ///   - output: a name, or a path below the directory that ends in one; nil lets the origin name the file.
    /// - Returns: the directory with all links in it resolved, and the name.
    /// - Throws: a ``Problem`` `bad-destination` for what leads out of the roots, be it by `..`, by a link that stands
    ///   there or by one that leads nowhere yet; and for what is hidden in them, as a name with a dot before it is. A
    ///   root itself may lie below a hidden directory.
    package func place(
        directory: String?, output: String?
    ) throws(Problem) -> (directory: String, name: String?) {
        for text in [directory, output].compactMap(\.self) { try Self.requirePlain(text) }
        let slash = UInt8(ascii: "/")
        // By code units: a slash that carries a combining mark is another character, but the same slash to the disk.
        var parts = (output ?? "").utf8.split(separator: slash, omittingEmptySubsequences: false)
            .map { String(Substring($0)) }
        let name = output == nil ? nil : parts.popLast()
        if let output, output.utf8.first == slash || name.map({ ["", ".", ".."].contains($0) }) ?? false {
            throw Self.problem(output, "it is no name of a file below the directory")
        }
        let base = directory.map { $0.utf8.first == slash ? $0 : first + "/" + $0 } ?? first
        let text = ([base] + parts).joined(separator: "/")
        let destination: Destination
        do throws(DestinationProblem) {
            destination = try Destination.parse(directory: text, name: name)
        } catch { throw Problem(.destination(error)) }
        try Self.requireShort(destination)
        let resolved = try resolve(FilePath(destination.directory))
        try requireInside(resolved, named: name, as: text)
        guard !reserved.contains(where: { resolved.starts(with: $0) }) else {
            throw Self.problem(text, "the ledger itself is there")
        }
        if let name { try check(resolved.appending(name), named: name) }
        return (resolved.string, name)
    }
}

extension DestinationRoots {
    /// A place inside a root, and not hidden there. Only what the links lead to counts, not what they are called.
    private func requireInside(_ directory: FilePath, named name: String?, as text: String) throws(Problem) {
        let paths = roots.filter { directory.starts(with: $0) }.map { root in
            directory.components.dropFirst(root.components.count).map(\.string) + [name].compactMap(\.self)
        }
        guard let first = paths.first else {
            throw Self.problem(text, "it leads out of '\(roots.map(\.string).joined(separator: "', '"))'")
        }
        // A root may be inside of another one, and be hidden there.
        guard let hidden = first.first(where: FileName.isHidden),
            paths.allSatisfy({ $0.contains(where: FileName.isHidden) })
        else { return }
        throw Self.problem(
            name.map { text + "/" + $0 } ?? text,
            "'\(Problem.presentable(hidden))' is hidden, and programs may take orders from what is")
    }

    /// What stands under the name must be no way out either; a file there is numbered or replaced as asked.
    private func check(_ path: FilePath, named name: String) throws(Problem) {
        switch try status(of: path)?.kind {
        case .symbolicLink: throw Self.problem(name, "a link stands under that name")
        case .directory: throw Self.problem(name, "a directory stands under that name")
        case .other: throw Self.problem(name, "what stands under that name is no file")
        case .regular, nil: break
        }
    }

    /// The directory without links: what is there is resolved, what is not yet is taken as it is written.
    private func resolve(_ directory: FilePath) throws(Problem) -> FilePath {
        let (standing, missing): (FilePath, [FilePath.Component])
        do throws(FileError) { (standing, missing) = try fileSystem.weaklyResolved(directory) } catch {
            let cause = error.errno == .noSuchFileOrDirectory ? "it is a link that leads nowhere" : "\(error.errno)"
            throw Self.problem(directory.string, "'\(error.path)' can not be followed: \(cause)")
        }
        guard try status(of: standing)?.kind == .directory else {
            throw Self.problem(directory.string, "'\(standing)' is no directory")
        }
        return missing.reduce(standing) { $0.appending($1) }
    }

    /// What stands at a path; nothing does below a file.
    private func status(of path: FilePath) throws(Problem) -> FileStatus? {
        do throws(FileError) { return try fileSystem.standing(at: path) } catch {
            throw Self.problem(path.string, "it can not be looked at: \(error.errno)")
        }
    }

    /// Controls in a path are no one's wish, and play tricks on who reads it in a terminal.
    private static func requirePlain(_ text: String) throws(Problem) {
        let isControl = { (scalar: Unicode.Scalar) in scalar.properties.generalCategory == .control }
        guard text.unicodeScalars.contains(where: isControl) else { return }
        let shown = text.unicodeScalars.map { isControl($0) ? "?" : String($0) }.joined()
        throw problem(shown, "it holds a control character")
    }

    /// What is too long for the disk is so for a transfer as well, hours later.
    private static func requireShort(_ destination: Destination) throws(Problem) {
        let directory = destination.directory.utf8
        guard directory.split(separator: UInt8(ascii: "/")).allSatisfy({ $0.count <= FileName.bytesMax }),
            directory.count + FileName.bytesMax + 2 <= pathBytesMax
        else { throw problem(destination.directory, "it is too long") }
    }

    private static func problem(_ text: String, _ cause: String) -> Problem {
        Problem(
            .badDestination, "'\(Problem.presentable(text))' is no place for files of the API", cause: cause,
            next: "name a directory below the root ('ledger run -d DIR' sets it, '--allow-dir DIR' adds others)",
            exitCode: .usage)
    }
}
