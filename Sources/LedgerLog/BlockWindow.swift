import LedgerSystem

/// Reads a file in large blocks, and lends slices of them.
struct BlockWindow: Sendable {
    let file: any File
    private let blockBytes: Int
    private var bytes: [UInt8] = []
    private var start: UInt64 = 0

    init(_ file: any File, blockBytes: Int = LogBounds.windowBytes) {
        self.file = file
        self.blockBytes = blockBytes
    }

    /// The bytes at `offset`, up to `count`, fewer only at the end of the file. A block that was read before is used
    /// again: call ``forget()`` where the file may have changed. Its room is used again, too, once nobody holds what
    /// was lent of it.
    mutating func slice(at offset: UInt64, count: Int) throws(FileError) -> ArraySlice<UInt8> {
        let held = start + UInt64(bytes.count)
        if offset < start || offset > held || UInt64(count) > held - offset {
            // The room of one large batch would stay for its sake.
            if bytes.capacity > 2 * max(count, blockBytes) { bytes = [] }
            try file.read(into: &bytes, at: offset, count: max(count, blockBytes))
            start = offset
        }
        let from = Int(offset - start)
        return bytes[from..<min(from + count, bytes.count)]
    }

    mutating func forget() {
        bytes = []
        start = 0
    }
}
