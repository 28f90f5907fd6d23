import CLedgerSystem
package import SystemPackage

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

extension RealFileSystem {
    /// Bytes of a name that are no UTF-8 are shown as U+FFFD; such a name can be seen here but not opened.
    package func list(_ directory: FilePath) throws(FileError) -> [String] {
        let number = try descriptor(directory, O_RDONLY | O_DIRECTORY)
        guard let stream = unsafe fdopendir(number) else {
            let code = currentErrno()
            Descriptor(number).close()
            throw FileError("fdopendir", directory, code)
        }
        defer { unsafe closedir(stream) }
        var names: [String] = []
        while true {
            errno = 0
            guard let entry = unsafe readdir(stream) else {
                let code = currentErrno()
                if code.rawValue != 0 { throw FileError("readdir", directory, code) }
                break
            }
            let name = unsafe String(cString: ledger_entry_name(entry))
            if name != "." && name != ".." { names.append(name) }
        }
        return names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    package func createDirectory(_ path: FilePath, permissions: UInt16) throws(FileError) {
        do throws(FileError) {
            try makeDirectory(path, permissions)
        } catch {
            guard error.errno == .noSuchFileOrDirectory else { throw error }
            let parent = path.removingLastComponent()
            guard !parent.isEmpty && parent != path else { throw error }
            try createDirectory(parent, permissions: permissions)
            try makeDirectory(path, permissions)
        }
    }

    package func removeDirectory(_ path: FilePath) throws(FileError) {
        try systemCall("rmdir", path) { unsafe path.withPlatformString { unsafe rmdir($0) } }
    }

    /// A file system that answers `EINVAL` has no sync of directories to give; there is then nothing more to do.
    package func synchronizeDirectory(_ path: FilePath) throws(FileError) {
        let directory = Descriptor(try descriptor(path, O_RDONLY | O_DIRECTORY))
        defer { directory.close() }
        try directory.use("fsync", path) { number throws(FileError) in
            if fsync(number) != 0, currentErrno() != .invalidArgument { throw Self.noted("fsync", path, number) }
        }
    }

    /// `mkdir(2)`; a directory that stands there already, or a link to one, is what was asked for.
    private func makeDirectory(_ path: FilePath, _ permissions: UInt16) throws(FileError) {
        do throws(FileError) {
            try systemCall("mkdir", path) {
                unsafe path.withPlatformString { unsafe mkdir($0, mode_t(permissions)) }
            }
        } catch {
            guard error.errno == .fileExists, isDirectory(path) else { throw error }
        }
    }

    private func isDirectory(_ path: FilePath) -> Bool {
        var answer = stat()
        let found = unsafe path.withPlatformString { unsafe stat($0, &answer) }
        return found == 0 && answer.st_mode & S_IFMT == S_IFDIR
    }
}
