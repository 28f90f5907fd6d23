import Testing

@testable import LedgerCoding

/// What is looked for eight bytes at a time is found wherever it stands.
@Suite struct SpanBytesTests {
    private func has(_ bytes: [UInt8], _ byte: UInt8) -> Bool { bytes.span.contains(byte) }
    private func shows(_ bytes: [UInt8]) -> Bool { bytes.span.isGraphic }
    private func isSame(_ bytes: [UInt8], _ other: [UInt8]) -> Bool { bytes.span.isEqual(to: other.span) }

    @Test func `a byte is found wherever it stands, and no other one for it`() {
        for count in 0...40 {
            for sought in [0, 1, 0x2F, 0x7F, 0x80, 0xFF] as [UInt8] {
                // Neighbours that differ in one bit, and those that borrow from each other.
                for other in [sought ^ 1, sought ^ 0x80, sought &+ 1, sought &- 1] {
                    let without = [UInt8](repeating: other, count: count)
                    #expect(!has(without, sought))
                    for place in 0..<count {
                        var with = without
                        with[place] = sought
                        #expect(has(with, sought), "\(sought) among \(other), \(place) of \(count)")
                    }
                }
            }
        }
    }

    @Test func `what does not show is seen wherever it stands`() {
        for count in 1...40 {
            for byte in 0...255 as ClosedRange<UInt8> {
                for place in 0..<count {
                    var bytes = [UInt8](repeating: place % 2 == 0 ? 0x21 : 0x7E, count: count)
                    bytes[place] = byte
                    #expect(shows(bytes) == (0x21...0x7E ~= byte), "\(byte) at \(place) of \(count)")
                }
            }
        }
    }

    @Test func `a difference is seen wherever it is`() {
        for count in 0...40 {
            let bytes = (0..<count).map { UInt8($0) }
            #expect(isSame(bytes, bytes))
            #expect(!isSame(bytes, bytes + [0]))
            for place in 0..<count {
                var other = bytes
                other[place] ^= 0x10
                #expect(!isSame(bytes, other), "\(place) of \(count)")
            }
        }
    }
}
