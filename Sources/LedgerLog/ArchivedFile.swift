import LedgerSystem
import Synchronization
import SystemPackage

/// The bytes of a segment that was packed into the archive, read as those of a file: members are unpacked as they are
/// needed, and the last one is kept. Nothing can be written to it.
///
/// A damaged member is the error `EILSEQ`, which becomes ``LogError/Code/corrupted``.
final class ArchivedFile: File {
    let path: FilePath
    private let file: any File
    /// Where each member begins, and where the last one ends.
    private let bounds: [UInt64]
    private let plainLength: UInt64
    private let latest = Mutex<(member: Int, bytes: [UInt8])?>(nil)

    /// Goes from member to member, reading the header of each.
    init(_ file: any File) throws(FileError) {
        self.file = file
        path = file.path
        let end = try file.status().length
        var bounds: [UInt64] = [0]
        while let place = bounds.last, place < end {
            let header = try file.bytes(at: place, count: GzipMember.headerBytes)
            guard let length = GzipMember.length(header), place + UInt64(length) <= end else {
                throw Self.damaged(path)
            }
            bounds.append(place + UInt64(length))
        }
        guard bounds.count > 1 else { throw Self.damaged(path) }
        self.bounds = bounds
        let tail = try file.bytes(at: end - 4, count: 4)
        let last = tail.count == 4 ? UInt64(tail.span.integer(at: 0, as: UInt32.self)) : 0
        plainLength = UInt64(bounds.count - 2) * UInt64(GzipMember.plainBytesMax) + last
    }

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64) throws(FileError) -> Int {
        let number = Int(clamping: offset / UInt64(GzipMember.plainBytesMax))
        guard number < bounds.count - 1 else { return 0 }
        let bytes = try member(number)
        let start = Int(offset % UInt64(GzipMember.plainBytesMax))
        guard start < bytes.count else { return 0 }
        let count = min(buffer.count, bytes.count - start)
        unsafe buffer.copyBytes(from: bytes[start..<start + count])
        return count
    }

    private func member(_ number: Int) throws(FileError) -> [UInt8] {
        if let kept = latest.withLock({ $0 }), kept.member == number { return kept.bytes }
        let packed = try file.bytes(at: bounds[number], count: Int(bounds[number + 1] - bounds[number]))
        guard let bytes = GzipMember.unpack(packed),
            bytes.count == GzipMember.plainBytesMax || number == bounds.count - 2
        else { throw Self.damaged(path) }
        latest.withLock { $0 = (number, bytes) }
        return bytes
    }

    private static func damaged(_ path: FilePath) -> FileError { FileError("inflate", path, .illegalByteSequence) }

    func status() throws(FileError) -> FileStatus {
        var status = try file.status()
        status.length = plainLength
        return status
    }

    func mayHaveHole(before _: UInt64) -> Bool { false }

    func close() { file.close() }

    func write(_: RawSpan, at _: UInt64) throws(FileError) { throw readOnly("pwrite") }
    func synchronize() throws(FileError) { throw readOnly("fdatasync") }
    func beginWriteback(_: Range<UInt64>) throws(FileError) { throw readOnly("sync_file_range") }
    func allocate(_: Range<UInt64>, extending _: Bool) throws(FileError) -> Bool { throw readOnly("fallocate") }
    func truncate(to _: UInt64) throws(FileError) { throw readOnly("ftruncate") }
    func setModified(nanoseconds _: Int64) throws(FileError) { throw readOnly("futimens") }

    private func readOnly(_ call: String) -> FileError { FileError(call, path, .badFileDescriptor) }
}
