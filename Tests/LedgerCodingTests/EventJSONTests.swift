import LedgerCoding
import LedgerModel
import LedgerTestSupport
import Testing

/// Events to JSON and back: what `export` writes `import` takes, whole.
struct EventJSONTests {
    @Test(arguments: Samples.recorded)
    func `an event comes back from its line of JSON as it was`(_ recorded: Recorded) throws {
        var reader = EventJSONReader(payloadBytesMax: 1000)
        let line = recorded.json.utf8
        let value = try JSONValue(parsing: line)
        #expect(value.utf8 == line)
        #expect(try reader.event(value) == recorded)
    }

    @Test func `a line that says more than the event has, or other than a log can hold, is refused`() throws {
        let sample = try #require(Samples.recorded.first { $0.event.kind == .verified })
        func line(_ change: (inout JSONObject) -> Void) -> JSONValue {
            guard case .object(var object) = sample.json else { return .null }
            change(&object)
            return .object(object)
        }
        var reader = EventJSONReader(payloadBytesMax: 1000)
        #expect(try reader.event(line { _ in }) == sample)
        let rows: [(JSONValue, String)] = [
            (line { $0["colour"] = "red" }, "it holds what 'verified' does not have"),
            (line { $0["path"] = "relative" }, "it is not what a log can hold: the value of field 6 is out of range"),
            (
                line { $0["length"] = .uint(.max) },
                "it is not what a log can hold: the value of field 4 is out of range"
            ),
            (line { $0["length"] = -1 }, "'length' is not what it should be"),
            (line { $0["digest"] = "md5:00112233445566778899aabbccddeeff" }, "'digest' is no SHA-256"),
            (line { $0["digest"] = nil }, "'digest' is missing"),
            (line { $0["seq"] = 0 }, "'seq' is not what it should be"),
            (line { $0["actor"] = "nobody" }, "'actor' is not what it should be"),
            (line { $0["type"] = "vanished" }, "the type 'vanished' is not known; a newer release may have written it"),
            (line { $0["version"] = 3 }, "it is version 3 of 'verified'; this program knows up to 2"),
            ([], "it is no JSON object"),
        ]
        for (value, words) in rows {
            let problem = #expect(throws: JSONProblem.self) { try reader.event(value) }
            #expect(problem?.description == words)
        }
        var narrow = EventJSONReader(payloadBytesMax: 10)
        let problem = #expect(throws: JSONProblem.self) { try narrow.event(line { _ in }) }
        #expect(problem?.description.hasSuffix("bytes, and a record holds 10") == true)
    }

    @Test func `ranges that do not ascend and values that no type holds are refused, and never trap`() throws {
        let sample = try #require(Samples.recorded.last { $0.event.kind == .progressed })
        guard case .object(let object) = sample.json else { return }
        var reader = EventJSONReader(payloadBytesMax: 1000)
        let ranges: [JSONValue] = [
            [[5, 5]], [[5, 4]], [[0, 5], [5, 6]], [[0, 5], [3, 9]], [[0]], [0], [[0, .uint(.max)]], ["0-5"], 7,
        ]
        for value in ranges {
            var changed = object
            changed["ranges"] = value
            #expect(throws: JSONProblem.self, "\(value)") { try reader.event(.object(changed)) }
        }
    }
}

struct JSONParserTests {
    @Test(arguments: [
        "", " ", "{", "[1,]", "{\"a\":1,}", "{\"a\"}", "{a:1}", "01", "+1", "1.", "-", "1e", "nul", "tru e", "\"a",
        "\"\\x\"", "\"\\ud800\"", "\"\\ud800\\u0041\"", "\"\\u12\"", "\"\t\"", "1 2", "{\"a\":1,\"a\":2}",
        String(repeating: "[", count: 100_000), "1e999",
    ])
    func `what is no JSON is refused`(_ text: String) {
        #expect(throws: JSONProblem.self) { try JSONValue(parsing: text.utf8) }
    }

    @Test func `values come back as they were written`() throws {
        let text = #" { "a" : [ 1 , -2, 0, 1.5, 1e2, true, false, null ], "b\n\u0041\ud83c\udfa7/": "\/ü🎧" } "#
        let value = try JSONValue(parsing: text.utf8)
        let expected: JSONValue = [
            "a": [.uint(1), .int(-2), .uint(0), .double(1.5), .double(100), true, false, nil],
            "b\nA🎧/": "/ü🎧",
        ]
        #expect(value == expected)
        for number in ["18446744073709551615", "-9223372036854775808"] {
            #expect(try JSONValue(parsing: number.utf8).description == number)
        }
    }

    @Test func `bytes that are not UTF-8 in a text are refused`() {
        #expect(throws: JSONProblem.self) { try JSONValue(parsing: [0x22, 0xFF, 0x22]) }
    }
}
