import CLedgerSystem
package import SystemPackage

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// What this process knows of itself.
package enum CurrentProcess {
    /// A variable of the environment; nil when it is not set. `getenv(3)`; nothing in this program sets one.
    package static func environment(_ name: String) -> String? {
        unsafe name.withCString { name in
            guard let value = unsafe getenv(name) else { return nil }
            return unsafe String(cString: value)
        }
    }

    /// The first argument that is not UTF-8, by its number from 1; nil when all are. Swift shows such a one with other
    /// characters in it, which may name another file.
    package static var undecodableArgument: Int? {
        let arguments = unsafe rawArguments
        return (1..<max(1, arguments.count)).first { number in
            unsafe arguments[number].map { unsafe String(validatingCString: $0) == nil } ?? false
        }
    }

    /// What it was started with, the program's name first.
    package static var arguments: [String] {
        unsafe rawArguments.compactMap { unsafe $0.map { unsafe String(cString: $0) } }
    }

    /// Not Swift's own `CommandLine`, where it can be helped: on Linux that reads `/proc`, and where none is mounted a
    /// program would run as if it had been given no arguments at all.
    private static var rawArguments: UnsafeMutableBufferPointer<UnsafeMutablePointer<CChar>?> {
        var count: CInt = 0
        let known = unsafe ledger_arguments(&count)
        guard let known = unsafe known else {
            return unsafe UnsafeMutableBufferPointer(start: CommandLine.unsafeArgv, count: Int(CommandLine.argc))
        }
        return unsafe UnsafeMutableBufferPointer(start: known, count: Int(count))
    }

    /// Takes the owner's own rights out of the mask for what is made from now on: with a mask like 0277 nobody could
    /// read what a command has just written. `umask(2)`.
    package static func keepOwnersRights() {
        let mask = umask(0o077)
        _ = umask(mask & ~0o700)
    }

    /// The first variable of the environment that names a place for this program and is not UTF-8; nil when all are.
    package static var undecodableVariable: String? {
        var found: String?
        unsafe forEachVariable { entry in
            let name = unsafe String(cString: entry).prefix { $0 != "=" }
            let isPlace = name == "HOME" || name.hasPrefix("LEDGER_") || name.hasPrefix("XDG_")
            if found == nil, isPlace, unsafe String(validatingCString: entry) == nil { found = String(name) }
        }
        return found
    }

    /// The whole environment. An entry without `=` is left out.
    package static var environment: [String: String] {
        var found: [String: String] = [:]
        unsafe forEachVariable { entry in
            let text = unsafe String(cString: entry)
            if let equals = text.firstIndex(of: "=") {
                found[String(text[..<equals])] = String(text[text.index(after: equals)...])
            }
        }
        return found
    }

    /// Hands over each entry of the environment, `NAME=VALUE`.
    private static func forEachVariable(_ body: (UnsafeMutablePointer<CChar>) -> Void) {
        var next = unsafe ledger_environment()
        while let entry = unsafe next.pointee {
            unsafe body(entry)
            unsafe next += 1
        }
    }

    /// Whether the directory that relative paths start from has a name in UTF-8, or none, for it was removed.
    package static var isCurrentDirectoryDecodable: Bool {
        do throws(FileError) { return String(validating: try currentDirectory()) != nil } catch {
            // Whoever needs it is told.
            return true
        }
    }

    /// The directory relative paths start from. `getcwd(3)`; `ENOENT` when it was removed.
    package static func currentDirectory() throws(FileError) -> FilePath {
        guard let name = unsafe getcwd(nil, 0) else { throw FileError("getcwd", ".", currentErrno()) }
        defer { unsafe free(name) }
        return unsafe FilePath(platformString: name)
    }

    /// The home of the user: `HOME`, else what the user database says, else nil.
    package static var homeDirectory: FilePath? {
        if let home = environment("HOME"), !home.isEmpty { return FilePath(home) }
        guard let entry = unsafe getpwuid(geteuid()), let home = unsafe entry.pointee.pw_dir else { return nil }
        return unsafe FilePath(platformString: home)
    }

    /// The number of this process. `getpid(2)`.
    package static var id: Int32 { getpid() }

    /// The number of the user it acts as. `geteuid(2)`.
    package static var user: UInt32 { geteuid() }

    /// How many files and connections it may have open at once. `getrlimit(2)`, `RLIMIT_NOFILE`.
    package static func descriptorsMax() throws(FileError) -> UInt64 {
        var limit = rlimit()
        try systemCall("getrlimit", "") { unsafe getrlimit(descriptors, &limit) }
        return UInt64(limit.rlim_cur)
    }

    /// How many of them a server wants.
    package static let descriptorsWanted = 65_536

    /// Lets it have as many of them open as a server wants and it may allow itself. `setrlimit(2)`.
    package static func raiseDescriptorsMax() throws(FileError) {
        var limit = rlimit()
        try systemCall("getrlimit", "") { unsafe getrlimit(descriptors, &limit) }
        limit.rlim_cur = max(limit.rlim_cur, min(limit.rlim_max, rlim_t(descriptorsWanted)))
        try systemCall("setrlimit", "") { unsafe setrlimit(descriptors, &limit) }
    }

    #if canImport(Glibc)
        private static let descriptors = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #else
        private static let descriptors = RLIMIT_NOFILE
    #endif

    /// How many processors there are to run threads on, at least 1. `sysconf(3)`.
    package static var processors: Int { max(1, sysconf(CInt(_SC_NPROCESSORS_ONLN))) }

    /// The program file it runs. `/proc/self/exe`, or `_NSGetExecutablePath` on Darwin.
    package static func executable() throws(FileError) -> FilePath {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
        #if canImport(Darwin)
            var count = UInt32(buffer.count)
            guard unsafe _NSGetExecutablePath(&buffer, &count) == 0 else {
                throw FileError("_NSGetExecutablePath", "", .fileNameTooLong)
            }
        #else
            let count = buffer.count - 1
            try systemCall("readlink", "/proc/self/exe") { unsafe readlink("/proc/self/exe", &buffer, count) }
        #endif
        return unsafe buffer.withUnsafeBufferPointer { unsafe FilePath(platformString: $0.baseAddress!) }
    }

    /// The memory it holds in bytes: now on Linux (`/proc/self/statm`), at its most on Darwin (`getrusage(2)`).
    package static func residentBytes() throws(FileError) -> UInt64 {
        #if canImport(Darwin)
            var usage = rusage()
            try systemCall("getrusage", "") { unsafe getrusage(RUSAGE_SELF, &usage) }
            return UInt64(clamping: usage.ru_maxrss)
        #else
            let path: FilePath = "/proc/self/statm"
            let file = try RealFileSystem().open(path, .read)
            defer { file.close() }
            let fields = String(decoding: try file.bytes(at: 0, count: 256), as: UTF8.self).split(separator: " ")
            guard fields.count > 1, let pages = UInt64(fields[1]) else { throw FileError("read", path, .ioError) }
            return pages * UInt64(sysconf(CInt(_SC_PAGESIZE)))
        #endif
    }

    /// Gives memory that was freed back to the system, which allocators keep for later: worth it behind work that took
    /// far more than what is left of it. `malloc_trim(3)`, `malloc_zone_pressure_relief(3)` on Darwin.
    package static func releaseFreedMemory() { ledger_release_freed_memory() }

    /// Sees to it that no file opened from now on gets the number of a standard stream that was closed when the
    /// process was started (`>&-`): what is written to that stream would end up in the file. Using such a stream stays
    /// the error `EBADF`. To be called before anything is opened.
    package static func guardStandardStreams() throws(FileError) {
        try systemCall("open", "/dev/null") { ledger_fill_standard_descriptors() }
    }

    /// Ends the process with a status. `exit(3)`.
    package static func exit(_ status: Int32) -> Never {
        #if canImport(Glibc)
            Glibc.exit(status)
        #elseif canImport(Musl)
            Musl.exit(status)
        #else
            Darwin.exit(status)
        #endif
    }
}
