import ArgumentParser

/// Paths as people write them, made absolute.
enum Paths {
    /// `path` as seen from `directory`: absolute, with `~` at its start replaced when `home` is known. `.` and `..`
    /// stay, for the system to follow links as it does everywhere. What is relative stays so where the directory is
    /// empty, for it was removed: the system finds nothing there.
    static func absolute(_ path: String, from directory: String, home: String? = nil) -> String {
        if path.hasPrefix("/") { return path }
        if let home, path == "~" || path.hasPrefix("~/") { return home + path.dropFirst() }
        if directory.isEmpty { return path.isEmpty ? "." : path }
        if path.isEmpty || path == "." { return directory }
        return directory == "/" ? "/" + path : directory + "/" + path
    }

    /// Refuses an empty name of a directory, which a variable of the shell comes to that is not set: nobody means the
    /// current directory by it.
    static func requireNamed(_ paths: [String?], _ flag: String) throws(ValidationError) {
        if paths.contains("") { throw ValidationError("'\(flag)' names no directory.") }
    }

    /// The directory and the name in a path; the directory is nil when there is no slash.
    static func split(_ path: String) -> (directory: String?, name: String) {
        guard let slash = path.lastIndex(of: "/") else { return (nil, path) }
        let directory = path[..<slash]
        return (directory.isEmpty ? "/" : String(directory), String(path[path.index(after: slash)...]))
    }
}
