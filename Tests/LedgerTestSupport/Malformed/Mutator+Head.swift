extension Mutator {
    /// Another status, another version, or half a line.
    mutating func spoilStatus(_ answer: inout WireAnswer) {
        let words = [
            "HTTP/1.1 200", "HTTP/1.0 200 OK", "HTTP/0.9 200 OK", "HTTP/2.0 200 OK", "HTTP/1.2 200 OK",
            "http/1.1 200 OK", "HTTP/1.1  200 OK", "HTTP/1.1 2000 OK", "HTTP/1.1 20 OK", "HTTP/1.1 099 OK",
            "HTTP/1.1 999 OK", "HTTP/1.1 -200 OK", "HTTP/1.1 200\tOK", "HTTP/1.1", "", "ICY 200 OK", "<html>",
            "HTTP/1.1 200 \u{0}", "HTTP/11 200 OK",
        ]
        let codes = [
            100, 101, 102, 199, 201, 202, 203, 204, 205, 206, 207, 226, 300, 304, 400, 404, 416, 500, 503, 511,
        ]
        switch Int.random(in: 0..<4, using: &generator) {
        case 0:
            answer.status = Array(pick(words).utf8)
        case 1:
            answer.status.removeLast(Int.random(in: 1...answer.status.count, using: &generator))
        default:
            answer.status = Array("HTTP/1.1 \(pick(codes)) Status".utf8)
        }
        note("status line '\(String(decoding: answer.status, as: UTF8.self))'")
    }

    /// A number of the head becomes another one, or none.
    mutating func spoilNumber(_ answer: inout WireAnswer) {
        let numbered = answer.fields.indices.filter { answer.fields[$0].contains(where: Self.isDigit) }
        guard !numbered.isEmpty else { return }
        let index = pick(numbered)
        let runs = Self.digitRuns(answer.fields[index])
        let run = pick(runs)
        let text = absurd(String(decoding: answer.fields[index][run], as: UTF8.self))
        answer.fields[index].replaceSubrange(run, with: Array(text.utf8))
        note("field '\(Self.shown(answer.fields[index]))'")
    }

    /// A number that is near, far, or not one at all.
    mutating func absurd(_ number: String) -> String {
        let value = Int(number) ?? 0
        let near = [value &+ 1, value &- 1, value / 2, value &* 2, value &+ 5, value &- 5, 0, 1].map { String($0) }
        let far = [
            "-1", "-" + number, "+" + number, "9223372036854775807", "9223372036854775808", "18446744073709551615",
            "18446744073709551616", "18446744073709551617", "340282366920938463463374607431768211456",
            String(repeating: "9", count: 40), "00" + number,
        ]
        let strange = [
            "", "0x" + String(value, radix: 16), String(value, radix: 16), number + " ", " " + number, number + "\t",
            number + "," + number, number + ", \(value &+ 1)", number + ";", number + ".0", "1e3", number + "\u{0}",
            number + "\u{FF15}", "\u{0663}", number + " " + number, "nan", "*", "'" + number + "'",
        ]
        switch Int.random(in: 0..<4, using: &generator) {
        case 0, 1: return pick(near)
        case 2: return pick(far)
        default: return pick(strange)
        }
    }

    /// A field is doubled, folded, without its colon, with what may not be in it, or gone.
    mutating func spoilField(_ answer: inout WireAnswer) {
        guard !answer.fields.isEmpty else { return }
        let index = Int.random(in: 0..<answer.fields.count, using: &generator)
        let field = answer.fields[index]
        let place = Int.random(in: 0...field.count, using: &generator)
        let colon = field.firstIndex(of: UInt8(ascii: ":")) ?? 0
        switch Int.random(in: 0..<12, using: &generator) {
        case 0:
            answer.fields.insert(field, at: index)
        case 1:
            answer.fields.insert(field, at: Int.random(in: 0...answer.fields.count, using: &generator))
            spoilNumber(&answer)
        case 2: answer.fields[index].insert(contentsOf: Array("\r\n ".utf8), at: max(place, colon + 1))
        case 3: answer.fields[index].insert(contentsOf: Array("\r\n\t".utf8), at: place)
        case 4: answer.fields[index].remove(at: colon)
        case 5: answer.fields[index].insert(32, at: colon)
        case 6: answer.fields[index].insert(pick([0, 1, 7, 13, 10, 127, 0x80, 0xFF]), at: place)
        case 7: answer.fields.remove(at: index)
        case 8: answer.fields[index].removeSubrange(place...)
        case 9: answer.fields[index] += Array(repeating: pick([32, 65, 48]), count: pick([100, 20_000, 100_000]))
        case 10:
            let more = Array("X-Filler: \(index)".utf8)
            answer.fields.insert(contentsOf: Array(repeating: more, count: pick([50, 2000])), at: index)
        default: answer.lineEnd = Array(pick(["\n", "\r", "\r\n\r\n", "\n\r", ""]).utf8)
        }
        note("spoils the field '\(Self.shown(field))'")
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (48...57).contains(byte) }

    private static func digitRuns(_ line: [UInt8]) -> [Range<Int>] {
        var runs: [Range<Int>] = []
        for index in line.indices where isDigit(line[index]) {
            if let last = runs.last, last.upperBound == index {
                runs[runs.count - 1] = last.lowerBound..<index + 1
            } else {
                runs.append(index..<index + 1)
            }
        }
        return runs
    }

    static func shown(_ line: [UInt8]) -> String { String(decoding: line.prefix(80), as: UTF8.self) }
}
