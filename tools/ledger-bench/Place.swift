import LedgerSystem
import SystemPackage

/// Paths as they are given to subcommands.
enum Place {
    /// The absolute path that a text means here.
    static func absolute(_ text: String) throws(FileError) -> FilePath {
        let path = FilePath(text)
        return path.isAbsolute ? path : try CurrentProcess.currentDirectory().pushing(path)
    }
}
