import LedgerModel
import LedgerTransfer

/// A file that `gzip` packed (RFC 1952), unpacked in memory.
package enum GzipFile {
    /// Why a file can not be unpacked.
    package enum Fault: Error, Hashable, Sendable {
        case damaged
        /// What it holds is longer than is read.
        case tooLong
    }

    /// Whether a file begins as such a one does.
    package static func isBegun(by bytes: [UInt8]) -> Bool { bytes.starts(with: [0x1F, 0x8B]) }

    /// What a file holds, all its members one after the other.
    /// - Parameter bytesMax: more than this is not unpacked, whatever the file says of itself.
    package static func unpacked(_ bytes: [UInt8], bytesMax: Int) throws(Fault) -> [UInt8] {
        var inflater = Inflater(.gzip)
        var (content, isTooLong) = ([UInt8](), false)
        do throws(Failure) {
            try inflater.unpack(bytes.span.bytes) { block throws(Failure) in
                isTooLong = content.count + block.byteCount > bytesMax
                // It stops at what is thrown; which words, nobody asks.
                if isTooLong { throw Failure(.protocolViolation, "too long", isRetryable: false) }
                block.withUnsafeBytes { content.append(contentsOf: $0) }
            }
        } catch { throw isTooLong ? .tooLong : .damaged }
        guard inflater.isWhole else { throw .damaged }
        return content
    }
}
