/// Where a finished file goes: an absolute directory, and a name when the user chose one.
package struct Destination: Hashable, Sendable {
    /// What to do when something already stands under the final name.
    package enum Collision: UInt8, Hashable, Sendable, CaseIterable {
        /// Take the next free numbered name: `file (1).iso`.
        case number = 0
        /// Replace what stands there, atomically, when the new file is whole.
        case overwrite = 1
        /// Keep what stands there and fetch nothing.
        case skip = 2
        /// Keep what stands there, fetch nothing, and fail.
        case refuse = 3
    }

    /// The directory, absolute, without a trailing slash (but for the root itself).
    package let directory: String
    /// The file name the user chose; nil when the origin or the URL names the file.
    package let name: String?
    /// What happens when the name is taken.
    package let collision: Collision

    /// The longest file name made here, in bytes of UTF-8 (what ext4, APFS and NTFS allow, less room for a suffix).
    package static let nameBytesMax = 200

    /// A destination whose parts were checked when they were parsed or recorded.
    package init(directory: String, name: String?, collision: Collision = .number) {
        self.directory = directory
        self.name = name
        self.collision = collision
    }

    package static func == (one: Destination, other: Destination) -> Bool {
        one.collision == other.collision && DiskName(one.directory) == DiskName(other.directory)
            && one.name.map(DiskName.init) == other.name.map(DiskName.init)
    }

    /// Parses a directory and a name that a person or a client gave.
    ///
    /// - Parameters:
    ///   - directory: absolute; `.` and `..` inside it are resolved by text alone.
    ///   - name: one path component, or nil.
    /// - Throws: ``DestinationProblem`` for a directory that is not absolute, or a name that leaves it.
    package static func parse(
        directory: String, name: String?, collision: Collision = .number
    ) throws(DestinationProblem) -> Destination {
        // By code units: a slash that carries a combining mark is another character, but the same slash to the disk.
        let slash = UInt8(ascii: "/")
        guard directory.utf8.first == slash else { throw .notAbsolute(directory) }
        guard !directory.utf8.contains(0) else { throw .badName(directory) }
        var parts: [String] = []
        for part in directory.utf8.split(separator: slash).map({ String(Substring($0)) }) where part != "." {
            if part == ".." { _ = parts.popLast() } else { parts.append(part) }
        }
        if let name {
            guard !name.isEmpty, name != ".", name != "..", !name.utf8.contains(slash), !name.utf8.contains(0)
            else { throw .badName(name) }
            guard name.utf8.count <= FileName.bytesMax else { throw .nameTooLong(bytes: name.utf8.count) }
        }
        return Destination(directory: "/" + parts.joined(separator: "/"), name: name, collision: collision)
    }

    /// The absolute path of the file; nil while it has no name.
    package var path: String? { name.map { path(of: $0) } }

    /// The absolute path of `name` in the directory.
    package func path(of name: String) -> String { directory == "/" ? "/" + name : directory + "/" + name }
}

/// Why a directory and a name are not a place to put a file.
package enum DestinationProblem: Error, Hashable, Sendable {
    case notAbsolute(String)
    case badName(String)
    case nameTooLong(bytes: Int)
    /// Of two directories that are to be different ones, one lies in the other.
    case nested(String, String)
}
