import LedgerSystem
import Synchronization
import SystemPackage

/// The room that the open parts of a process count on where it can not be reserved, or not without writing it: two
/// that do not fit beside each other do not both begin.
///
/// Others may still take it: then writing finds out. Usable from any thread.
package final class PromisedRoom: Sendable {
    private struct Promise {
        weak let part: PartFile?
    }

    private let promises = Mutex<[Promise]>([])

    /// No promise yet.
    package init() {}

    /// Lets a part become `length` bytes long when there is as much room beside what was promised on its device.
    /// - Throws: `ENOSPC` when there is not; what `statvfs(3)` does.
    func promise(_ length: UInt64, to part: PartFile, in fileSystem: any FileSystem) throws(FileError) {
        let path = part.path
        let available = try fileSystem.availableBytes(at: path)
        let fits = promises.withLock { promises in
            promises.removeAll { ($0.part?.promisedBytesLeft ?? 0) == 0 }
            let promised = promises.reduce(into: UInt64(0)) { sum, promise in
                if let other = promise.part, other.device == part.device { sum += other.promisedBytesLeft }
            }
            guard length <= available - min(available, promised) else { return false }
            part.promise(length)
            promises.append(Promise(part: part))
            return true
        }
        guard fits else { throw FileError("statvfs", path, .noSpace) }
    }
}
