/// The bytes of a file in pages that copies share until one of them writes, so that copying a disk costs nothing and
/// a write after it costs a page. A page that was never written is nil and reads as zeros.
struct PagedBytes: Hashable, Sendable {
    static let pageBytes = 4096

    private var pages: [[UInt8]?] = []
    private(set) var count = 0

    /// Reads what there is of `buffer.count` bytes at `offset`.
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) -> Int {
        let end = min(count, offset + buffer.count)
        guard offset < end else { return 0 }
        Self.eachPage(of: offset..<end) { page, within, position in
            let target = UnsafeMutableRawBufferPointer(rebasing: buffer[position..<position + within.count])
            if let bytes = pages[page] {
                bytes.withUnsafeBytes { target.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[within])) }
            } else {
                target.initializeMemory(as: UInt8.self, repeating: 0)
            }
        }
        return end - offset
    }

    /// Writes, with zeros between the old end and `offset`.
    mutating func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) {
        let end = offset + bytes.count
        if end > count { setLength(end) }
        Self.eachPage(of: offset..<end) { page, within, position in
            let source = UnsafeRawBufferPointer(rebasing: bytes[position..<position + within.count])
            var taken = pages[page] ?? Self.zeroPage
            pages[page] = nil
            taken.withUnsafeMutableBytes {
                UnsafeMutableRawBufferPointer(rebasing: $0[within]).copyMemory(from: source)
            }
            pages[page] = taken
        }
    }

    /// Cuts, or extends with zeros.
    mutating func setLength(_ length: Int) {
        let needed = (length + Self.pageBytes - 1) / Self.pageBytes
        if length < count {
            pages.removeLast(pages.count - needed)
            let rest = length % Self.pageBytes
            if rest > 0, var last = pages[needed - 1] {
                last.withUnsafeMutableBytes {
                    _ = UnsafeMutableRawBufferPointer(rebasing: $0[rest...]).initializeMemory(
                        as: UInt8.self, repeating: 0)
                }
                pages[needed - 1] = last
            }
        } else {
            while pages.count < needed { pages.append(nil) }
        }
        count = length
    }

    /// All of it.
    var bytes: [UInt8] {
        [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            filled = read(into: UnsafeMutableRawBufferPointer(buffer), at: 0)
        }
    }

    /// Mixes length and content into a 64-bit sum that is the same in every process (FNV-1a over words).
    func mix(into sum: inout UInt64) {
        sum = (sum ^ UInt64(count)) &* 0x100_0000_01B3
        for (number, page) in pages.enumerated() {
            guard let page, page != Self.zeroPage else { continue }
            sum = (sum ^ UInt64(number)) &* 0x100_0000_01B3
            page.withUnsafeBytes { bytes in
                for offset in stride(from: 0, to: Self.pageBytes, by: 8) {
                    let word = bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
                    sum = (sum ^ UInt64(littleEndian: word)) &* 0x100_0000_01B3
                    sum ^= sum >> 29
                }
            }
        }
    }

    /// Equal content: a page of zeros equals one never written.
    static func == (left: PagedBytes, right: PagedBytes) -> Bool {
        left.count == right.count
            && zip(left.pages, right.pages).allSatisfy { ($0 ?? zeroPage) == ($1 ?? zeroPage) }
    }

    func hash(into hasher: inout Hasher) {
        var sum: UInt64 = 0
        mix(into: &sum)
        hasher.combine(sum)
    }
}

extension PagedBytes {
    private static let zeroPage = [UInt8](repeating: 0, count: pageBytes)

    /// Calls `body` with each page a range touches, the part of the page, and where that part begins in the range.
    private static func eachPage(of range: Range<Int>, _ body: (_ page: Int, _ within: Range<Int>, _ at: Int) -> Void) {
        var offset = range.lowerBound
        while offset < range.upperBound {
            let start = offset % pageBytes
            let count = min(pageBytes - start, range.upperBound - offset)
            body(offset / pageBytes, start..<start + count, offset - range.lowerBound)
            offset += count
        }
    }
}
