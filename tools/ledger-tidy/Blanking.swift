/// Blanks comments and the insides of string literals, byte for byte, so that rules about code see only code.
package struct Blanking {
    private let bytes: [UInt8]
    private var result: [UInt8]
    private var index = 0

    private init(_ bytes: [UInt8]) {
        self.bytes = bytes
        result = bytes
    }

    /// The text of a Swift file with everything but code replaced by spaces; line ends stay.
    package static func blank(_ bytes: [UInt8]) -> [UInt8] {
        var blanking = Blanking(bytes)
        blanking.code(untilParenthesis: false)
        return blanking.result
    }

    /// Code, up to the end of the file or the parenthesis that closes an interpolation.
    private mutating func code(untilParenthesis: Bool) {
        var depth = 0
        while index < bytes.count {
            if starts(with: "//") {
                while index < bytes.count, bytes[index] != UInt8(ascii: "\n") { erase() }
            } else if starts(with: "/*") {
                comment()
            } else if let pounds = literalPounds {
                literal(pounds: pounds)
            } else {
                if bytes[index] == UInt8(ascii: "(") { depth += 1 }
                if bytes[index] == UInt8(ascii: ")") { depth -= 1 }
                index += 1
                if untilParenthesis, depth < 0 { return }
            }
        }
    }

    private mutating func comment() {
        var depth = 0
        repeat {
            let opens = starts(with: "/*")
            let closes = starts(with: "*/")
            if opens { depth += 1 }
            if closes { depth -= 1 }
            erase()
            if opens || closes { erase() }
        } while depth > 0 && index < bytes.count
    }

    /// The number of `#` in front of the literal that starts here; nil when none does.
    private var literalPounds: Int? {
        var end = index
        while end < bytes.count, bytes[end] == UInt8(ascii: "#") { end += 1 }
        return end < bytes.count && bytes[end] == UInt8(ascii: "\"") ? end - index : nil
    }

    private mutating func literal(pounds: Int) {
        index += pounds
        let isLong = starts(with: "\"\"\"")
        let quotes = isLong ? 3 : 1
        let close = String(repeating: "\"", count: quotes) + String(repeating: "#", count: pounds)
        let escape = "\\" + String(repeating: "#", count: pounds)
        index += quotes
        while index < bytes.count {
            if starts(with: close) {
                index += close.utf8.count
                return
            }
            if !isLong, bytes[index] == UInt8(ascii: "\n") { return }
            if starts(with: escape + "(") {
                for _ in 0..<escape.utf8.count { erase() }
                index += 1
                code(untilParenthesis: true)
            } else if starts(with: escape) {
                for _ in 0...escape.utf8.count { erase() }
            } else {
                erase()
            }
        }
    }

    private func starts(with text: String) -> Bool { bytes[index...].starts(with: text.utf8) }

    private mutating func erase() {
        guard index < bytes.count else { return }
        if bytes[index] != UInt8(ascii: "\n") { result[index] = UInt8(ascii: " ") }
        index += 1
    }
}
