/// A file of the demo's origin: bytes made of its number, so that it needs no disk and can be checked byte for byte.
struct DemoFile: Hashable, Sendable {
    /// Which one.
    let number: Int
    /// How long it is.
    let length: Int

    /// The dozen of the demo: 1 to 7 MiB, none of a round length.
    static let dozen = (1...12).map { DemoFile(number: $0, length: ($0 * 5 % 7 + 1) << 20 | $0 * 4099) }

    /// Its name, in the URL and on the disk.
    var name: String { "file-\(number < 10 ? "0" : "")\(number).bin" }

    /// The bytes of a range.
    func bytes(_ range: Range<Int>) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(range.count)
        for offset in range {
            let word = (UInt64(offset / 8) &+ UInt64(number) << 40) &* 0x9E37_79B9_7F4A_7C15
            let mixed = (word ^ word >> 29) &* 0xBF58_476D_1CE4_E5B9
            bytes.append(UInt8(truncatingIfNeeded: mixed >> UInt64(offset % 8 * 8)))
        }
        return bytes
    }
}
