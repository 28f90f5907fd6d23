import LedgerModel
import LedgerTestSupport
import Testing

/// Instants as text (RFC 3339) and as numbers.
struct TimestampTests {
    static let both: [(String, Int64)] = [
        ("1970-01-01T00:00:00.000Z", 0), ("1969-12-31T23:59:59.999Z", -1),
        ("2026-03-02T10:11:12.345Z", 1_772_446_272_345),
        ("2000-02-29T00:00:00.000Z", 951_782_400_000), ("2024-02-29T23:59:59.999Z", 1_709_251_199_999),
        ("1900-03-01T00:00:00.000Z", -2_203_891_200_000), ("0000-01-01T00:00:00.000Z", -62_167_219_200_000),
        ("9999-12-31T23:59:59.999Z", 253_402_300_799_999), ("2038-01-19T03:14:08.000Z", 2_147_483_648_000),
    ]

    @Test(arguments: both) func `text and number are the same instant`(_ text: String, _ milliseconds: Int64) {
        #expect(Timestamp(milliseconds: milliseconds).rfc3339 == text)
        #expect(Timestamp(rfc3339: text)?.milliseconds == milliseconds)
    }

    static let parsed: [(String, String)] = [
        ("2026-03-02", "2026-03-02T00:00:00.000Z"), ("2026-03-02T10:11:12Z", "2026-03-02T10:11:12.000Z"),
        ("2026-03-02t10:11:12z", "2026-03-02T10:11:12.000Z"), ("2026-03-02 10:11:12Z", "2026-03-02T10:11:12.000Z"),
        ("2026-03-02T10:11:12.5Z", "2026-03-02T10:11:12.500Z"),
        ("2026-03-02T10:11:12.123999Z", "2026-03-02T10:11:12.123Z"),
        ("2026-03-02T10:11:12+01:00", "2026-03-02T09:11:12.000Z"),
        ("2026-01-01T00:30:00+01:00", "2025-12-31T23:30:00.000Z"),
        ("2026-03-02T10:11:12-05:30", "2026-03-02T15:41:12.000Z"),
        ("2026-03-02T10:11:12-00:00", "2026-03-02T10:11:12.000Z"),
        ("2016-12-31T23:59:60Z", "2017-01-01T00:00:00.000Z"),
    ]

    @Test(arguments: parsed) func `other ways to write an instant`(_ text: String, _ expected: String) {
        #expect(Timestamp(rfc3339: text)?.rfc3339 == expected)
    }

    static let refused = [
        "", "2026", "2026-3-2", "2026-13-01", "2026-00-01", "2026-02-30", "2025-02-29", "1900-02-29", "2026-04-31",
        "2026-03-02T", "2026-03-02T10:11", "2026-03-02T10:11:12", "2026-03-02T24:00:00Z", "2026-03-02T10:60:00Z",
        "2026-03-02T10:11:61Z", "2026-03-02T10:11:12.Z", "2026-03-02T10:11:12Zx", "2026-03-02T10:11:12+1:00",
        "2026-03-02T10:11:12+24:00", "2026-03-02T10:11:12+0100", "+026-03-02", "２０２６-03-02", "2026-03-02x10:11:12Z",
    ]

    @Test(arguments: refused) func `what is no instant`(_ text: String) { #expect(Timestamp(rfc3339: text) == nil) }

    @Test func `years beyond four digits are shown as the ends`() {
        #expect(Timestamp(milliseconds: .max).rfc3339 == "9999-12-31T23:59:59.999Z")
        #expect(Timestamp(milliseconds: .min).rfc3339 == "0000-01-01T00:00:00.000Z")
    }

    @Test func `random instants come back from their text`() {
        var random = SplitMix64(seed: 1)
        for _ in 0..<2000 {
            let instant = Timestamp(
                milliseconds: .random(in: -62_167_219_200_000...253_402_300_799_999, using: &random))
            #expect(Timestamp(rfc3339: instant.rfc3339) == instant)
        }
    }

    @Test func `sums and distances end at the ends of time`() {
        let (first, last) = (Timestamp(milliseconds: .min), Timestamp(milliseconds: .max))
        #expect(Timestamp.epoch.advanced(by: .milliseconds(1500)).milliseconds == 1500)
        #expect(Timestamp.epoch.advanced(by: .milliseconds(-1)).milliseconds == -1)
        #expect(last.advanced(by: .milliseconds(1)) == last)
        #expect(first.advanced(by: .milliseconds(-1)) == first)
        #expect(Timestamp.epoch.advanced(by: .seconds(Int64.max)) == last)
        #expect(Timestamp.epoch.advanced(by: .seconds(Int64.max / 1000) + .milliseconds(999)) == last)
        #expect(Timestamp.epoch.advanced(by: .seconds(Int64.min)) == first)
        // More seconds than 64 bits hold.
        #expect(Timestamp.epoch.advanced(by: .seconds(Int64.max) + .seconds(Int64.max)) == last)
        #expect(first.duration(to: last) > .seconds(Int64.max / 1000))
        #expect(last.duration(to: first) < .zero)
        #expect(Timestamp.epoch.duration(to: Timestamp(milliseconds: -1500)) == .milliseconds(-1500))
    }

    @Test func `days begin at midnight, also before the epoch`() {
        for (milliseconds, day) in [
            (0, 0), (86_399_999, 0), (86_400_000, 1), (-1, -1), (-86_400_000, -1), (-86_400_001, -2),
        ] {
            #expect(Timestamp(milliseconds: Int64(milliseconds)).day == Int32(day))
        }
        #expect(Timestamp(milliseconds: .min).day == .min)
    }
}
