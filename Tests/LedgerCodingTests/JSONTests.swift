import LedgerCoding
import Testing

struct JSONRow: Sendable, CustomTestStringConvertible {
    let value: JSONValue
    let text: String
    let line: Int

    init(_ value: JSONValue, _ text: String, line: Int = #line) {
        self.value = value
        self.text = text
        self.line = line
    }

    var testDescription: String { "line \(line)" }
}

struct JSONTests {
    @Test(arguments: [
        JSONRow(nil, "null"),
        JSONRow(true, "true"),
        JSONRow(-7, "-7"),
        JSONRow(.uint(.max), "18446744073709551615"),
        JSONRow(.int(.min), "-9223372036854775808"),
        JSONRow(.double(0.1), "0.1"),
        JSONRow(.double(1e300), "1e+300"),
        JSONRow(.double(.infinity), "null"),
        JSONRow(.double(.nan), "null"),
        JSONRow("", "\"\""),
        JSONRow("a\"b\\c/d", #""a\"b\\c/d""#),
        JSONRow("\u{8}\t\n\u{C}\r", #""\b\t\n\f\r""#),
        JSONRow("\u{0}\u{B}\u{1F}\u{7F}", "\"\\u0000\\u000b\\u001f\u{7F}\""),
        JSONRow("ünï 🎧 \u{2028}", "\"ünï 🎧 \u{2028}\""),
        JSONRow([], "[]"),
        JSONRow([1, "two", [nil]], #"[1,"two",[null]]"#),
        JSONRow([:], "{}"),
        JSONRow(["z": 1, "a": ["b": false]], #"{"z":1,"a":{"b":false}}"#),
    ])
    func `a value is written as RFC 8259 says, on one line`(_ row: JSONRow) {
        #expect(row.value.description == row.text)
    }

    @Test func `an object keeps its order and each name once`() {
        var object: JSONObject = ["b": 1, "a": 2]
        object["b"] = 3
        object["c"] = 4
        object["a"] = nil
        object.merge(["c": 5, "d": 6])
        #expect(JSONValue.object(object).description == #"{"b":3,"c":5,"d":6}"#)
        #expect(object["c"] == 5)
        #expect(object["a"] == nil)
    }
}
