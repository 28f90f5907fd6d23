import LedgerSystem
import SystemPackage

/// The lines of a file, however long it is, or of bytes that are in memory already. Blocks.
struct LineReader {
    /// The longest line that is read, in bytes: several times the longest event.
    static let lineBytesMax = 128 << 20
    /// How much is read at once.
    private static let blockBytes = 1 << 20

    private let file: (any File)?
    private var held: ArraySlice<UInt8>
    private var offset: UInt64 = 0
    /// How much of ``held`` is known to have no end of a line in it.
    private var searched = 0

    /// The number of the line that ``next()`` gave last, from 1 on.
    private(set) var number = 0

    /// The lines of an open file.
    init(_ file: any File) {
        self.file = file
        held = []
    }

    /// The lines of bytes.
    init(_ bytes: [UInt8]) {
        file = nil
        held = bytes[...]
    }

    /// The next line without its end; nil behind the last.
    /// - Throws: a ``FileError``: `EFBIG` for a line beyond ``lineBytesMax``.
    mutating func next() throws(FileError) -> ArraySlice<UInt8>? {
        while true {
            if let end = held.dropFirst(searched).firstIndex(of: UInt8(ascii: "\n")) {
                let line = held[..<end]
                held = held[(end + 1)...]
                searched = 0
                number += 1
                return line
            }
            searched = held.count
            guard let file else { break }
            guard held.count <= Self.lineBytesMax else { throw FileError("read", file.path, .fileTooLarge) }
            let more = try file.bytes(at: offset, count: Self.blockBytes)
            if more.isEmpty { break }
            offset += UInt64(more.count)
            held = ArraySlice(Array(held) + more)
        }
        guard !held.isEmpty else { return nil }
        defer { (held, searched) = ([], 0) }
        number += 1
        return held
    }
}
