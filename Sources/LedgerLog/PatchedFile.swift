import LedgerSystem
import SystemPackage

/// A file as it reads with some bytes replaced; nothing is written to it.
final class PatchedFile: File {
    /// The bytes that are replaced, by their offset.
    let patches: [UInt64: UInt8]
    private let file: any File

    init(_ file: any File, _ patches: [UInt64: UInt8]) {
        self.file = file
        self.patches = patches
    }

    var path: FilePath { file.path }

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64) throws(FileError) -> Int {
        let count = unsafe try file.read(into: buffer, at: offset)
        for (place, byte) in patches where place >= offset && place < offset + UInt64(count) {
            unsafe buffer[Int(place - offset)] = byte
        }
        return count
    }

    func write(_ bytes: RawSpan, at offset: UInt64) throws(FileError) { throw readOnly("pwrite") }
    func allocate(_ range: Range<UInt64>, extending: Bool) throws(FileError) -> Bool { throw readOnly("fallocate") }
    func truncate(to length: UInt64) throws(FileError) { throw readOnly("ftruncate") }
    func setModified(nanoseconds: Int64) throws(FileError) { throw readOnly("futimens") }
    func beginWriteback(_ range: Range<UInt64>) throws(FileError) { try file.beginWriteback(range) }
    func synchronize() throws(FileError) { try file.synchronize() }
    func mayHaveHole(before end: UInt64) throws(FileError) -> Bool { try file.mayHaveHole(before: end) }
    func status() throws(FileError) -> FileStatus { try file.status() }
    func close() { file.close() }

    private func readOnly(_ call: String) -> FileError { FileError(call, path, .badFileDescriptor) }
}
