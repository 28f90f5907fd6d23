import LedgerCoding
import LedgerModel
import Testing

struct VarintRow: Sendable, CustomTestStringConvertible {
    let value: UInt64
    let bytes: [UInt8]
    let line: Int

    init(_ value: UInt64, _ bytes: [UInt8], line: Int = #line) {
        self.value = value
        self.bytes = bytes
        self.line = line
    }

    var testDescription: String { "line \(line)" }
}

struct RefusedRow: Sendable, CustomTestStringConvertible {
    let bytes: [UInt8]
    let problem: CodingError.Problem
    let line: Int

    init(_ bytes: [UInt8], _ problem: CodingError.Problem, line: Int = #line) {
        self.bytes = bytes
        self.problem = problem
        self.line = line
    }

    var testDescription: String { "line \(line)" }
}

struct FieldTests {
    @Test(arguments: [
        VarintRow(0, [0]),
        VarintRow(1, [1]),
        VarintRow(127, [0x7F]),
        VarintRow(128, [0x80, 1]),
        VarintRow(300, [0xAC, 2]),
        VarintRow(1 << 32, [0x80, 0x80, 0x80, 0x80, 0x10]),
        VarintRow(.max, [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 1]),
    ])
    func `a varint has one form`(_ row: VarintRow) throws {
        var writer = FieldWriter()
        writer.varint(row.value)
        #expect(writer.bytes == row.bytes)
        var reader = FieldReader(row.bytes.span)
        let value = try reader.varint()
        let isAtEnd = reader.isAtEnd
        #expect(value == row.value && isAtEnd)
    }

    @Test(arguments: [
        RefusedRow([0x80], .truncated(offset: 0)),
        RefusedRow([0x08], .truncated(offset: 1)),
        RefusedRow([0x08, 0x80, 0], .badVarint(offset: 1)),
        RefusedRow([0x08, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 2], .badVarint(offset: 1)),
        RefusedRow([0x00, 1], .badVarint(offset: 0)),
        RefusedRow([0x0B, 1], .badWireKind(3, offset: 0)),
        RefusedRow([0x0F, 1], .badWireKind(7, offset: 0)),
        RefusedRow([0x0A, 2, 1], .truncated(offset: 0)),
        RefusedRow([0x10, 1, 0x08, 1], .outOfOrder(field: 1)),
        RefusedRow([0x08, 0x80, 0, 0x10, 1, 0x10, 1, 0x10, 1, 0x10, 1], .badVarint(offset: 1)),
        RefusedRow([0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01, 1], .badVarint(offset: 0)),
    ])
    func `fields that are not well formed are refused with their place`(_ row: RefusedRow) {
        let error = #expect(throws: CodingError.self) {
            var reader = FieldReader(row.bytes.span)
            try reader.finish()
        }
        #expect(error?.problem == row.problem)
    }

    @Test(arguments: [
        RefusedRow([0x0B, 1], .badWireKind(3, offset: 0)),
        RefusedRow([0x08], .truncated(offset: 1)),
        RefusedRow([0x0A, 2, 1], .truncated(offset: 0)),
        RefusedRow([0x00, 1], .badVarint(offset: 0)),
        RefusedRow([0x10, 1], .missing(field: 1)),
        RefusedRow([], .missing(field: 1)),
    ])
    func `a field that is asked for is refused as one that is gone past`(_ row: RefusedRow) {
        let error = #expect(throws: CodingError.self) {
            var reader = FieldReader(row.bytes.span)
            _ = try reader.required(1).uint(as: UInt64.self)
        }
        #expect(error?.problem == row.problem)
    }

    @Test func `a field below the last one is not found by its number`() throws {
        var writer = FieldWriter()
        writer.uint(2, 1 as UInt8)
        writer.uint(2, 2 as UInt8)
        writer.uint(20, 3 as UInt8)
        var reader = FieldReader(writer.bytes.span)
        let (first, second) = (try reader.required(2).uint(as: UInt8.self), try reader.required(2).uint(as: UInt8.self))
        let (third, nothing) = (try reader.flag(3), try reader.optional(19)?.uint(as: UInt8.self))
        let last = try reader.required(20).uint(as: UInt8.self)
        #expect([first, second, last] == [1, 2, 3] && !third && nothing == nil)
        let behind = FieldReader([0x10, 1, 0x08, 1].span)
        #expect(throws: CodingError(.outOfOrder(field: 1))) {
            var behind = behind
            _ = try behind.required(2)
            _ = try behind.optional(1)
        }
    }

    @Test(arguments: [0, 1, -1, 63, -64, 64, Int64.max, .min])
    func `a signed number comes back`(_ value: Int64) throws {
        var writer = FieldWriter()
        writer.int(1, value)
        var reader = FieldReader(writer.bytes.span)
        let read = try reader.required(1).int(as: Int64.self)
        #expect(read == value)
    }

    @Test(arguments: [0, 1, 127, 128, 16_383, 16_384, 100_000])
    func `a nested field of any length comes back, and so does what follows it`(_ count: Int) throws {
        let content = [UInt8](repeating: 7, count: count)
        var writer = FieldWriter()
        writer.nested(1) { if count > 0 { $0.bytes(3, content) } }
        writer.uint(2, 9 as UInt8)
        var reader = FieldReader(writer.bytes.span)
        var inner = try reader.required(1).nested()
        let read = try inner.optional(3)?.bytes(count: count)
        let behind = try reader.required(2).uint(as: UInt8.self)
        #expect(read == (count > 0 ? content : nil) && behind == 9)
    }

    @Test(arguments: 0...UInt8.max)
    func `a byte that no request line carries is refused wherever it stands in a URL`(_ byte: UInt8) throws {
        let isFit = byte > 32 && byte < 127
        for length in 20...36 {
            for place in 18..<length {
                var text = Array("https://a.example".utf8) + "/".utf8
                text += [UInt8](repeating: UInt8(ascii: "~"), count: length - text.count)
                text.insert(byte, at: place)
                var writer = FieldWriter()
                writer.bytes(1, text)
                var reader = FieldReader(writer.bytes.span)
                let field = try reader.required(1)
                if isFit {
                    let url = try field.url()
                    #expect(Array(url.text.utf8) == text)
                } else {
                    #expect(throws: CodingError(.badValue(field: 1))) { try field.url() }
                }
            }
        }
    }

    @Test func `a number too large for its type is refused, not cut`() throws {
        var writer = FieldWriter()
        writer.uint(1, 256 as UInt16)
        writer.int(2, 128)
        var reader = FieldReader(writer.bytes.span)
        let (unsigned, signed) = (try reader.required(1), try reader.required(2))
        #expect(throws: CodingError(.badValue(field: 1))) { try unsigned.uint(as: UInt8.self) }
        #expect(throws: CodingError(.badValue(field: 2))) { try signed.int(as: Int8.self) }
        #expect(throws: CodingError(.wrongKind(field: 1))) { try unsigned.int(as: Int8.self) }
        #expect(throws: CodingError(.wrongKind(field: 1))) { try unsigned.string() }
    }

    @Test func `a text that is not UTF-8 is refused`() throws {
        var writer = FieldWriter()
        writer.bytes(1, [0xC3, 0x28])
        var reader = FieldReader(writer.bytes.span)
        let field = try reader.required(1)
        #expect(throws: CodingError(.badText(field: 1))) { try field.string() }
    }

    @Test func `the interner gives equal texts for equal bytes and stays within its size`() {
        var interner = Interner()
        for number in 0..<(Interner.textsMax * 3) {
            let text = "host-\(number % 5000).example"
            #expect(interner.string(text.utf8.span) == text)
        }
        #expect(interner.string([0xFF].span) == nil)
    }
}
