import LedgerAPI
import LedgerModel
import LedgerTestSupport
import LedgerViews
import Testing

@testable import LedgerCommands

/// A running download with the figures a bar shows.
func runningRow(
    _ id: UInt64 = 1, name: String = "debian-12.iso", received: UInt64, size: UInt64?, rate: UInt64 = 0,
    from: UInt64 = 0
) -> DownloadRow {
    var row = DownloadRow(
        id: DownloadID(id), url: "http://a/" + name, path: "/data/" + name, state: .running, kind: .archive,
        priority: 0, addedAt: .epoch)
    row.received = received
    row.size = size
    row.rate = rate
    row.resumedFrom = from
    return row
}

struct FiguresTests {
    static let sizes: [(UInt64, String)] = [
        (0, "0 B"), (1023, "1023 B"), (1024, "1.0 KiB"), (1536, "1.5 KiB"), (1_048_575, "1.0 MiB"),
        (64 << 20, "64.0 MiB"), (1 << 40, "1.0 TiB"), (.max, "16.0 EiB"),
    ]

    @Test(arguments: sizes) func `a size has at most one digit behind the point`(bytes: UInt64, text: String) {
        #expect(Figures.size(bytes) == text)
    }

    @Test func `times, percents and counts are short`() {
        #expect(Figures.time(seconds: 34) == "0:34")
        #expect(Figures.time(seconds: 3723) == "1:02:03")
        #expect(Figures.time(seconds: 183_600) == "2 d 3 h")
        #expect(Figures.percent(999, of: 1000) == 99)
        #expect(Figures.percent(0, of: 0) == 100)
        #expect(Figures.percent(5, of: nil) == nil)
        #expect(Figures.count(1204) == "1204")
        #expect(Figures.count(12_408) == "12 408")
        #expect(Figures.counted(1, "file") == "1 file")
        #expect(Figures.counted(2, "file") == "2 files")
    }
}

struct TextWidthTests {
    @Test func `wide characters take two columns and combining ones none`() {
        #expect(TextWidth.columns(of: "abc") == 3)
        #expect(TextWidth.columns(of: "日本") == 4)
        #expect(TextWidth.columns(of: "e\u{301}") == 1)
        #expect(TextWidth.columns(of: "🦆") == 2)
        #expect(TextWidth.columns(of: "✅🇨🇭❤️👩‍💻") == 8)
        #expect(TextWidth.columns(of: "a\u{200B}b") == 2)
    }

    @Test func `a text is cut in its middle`() {
        #expect(TextWidth.shortened("abcdefghij", to: 7) == "abc…hij")
        #expect(TextWidth.shortened("abc", to: 3) == "abc")
        #expect(TextWidth.columns(of: TextWidth.shortened("日本語日本語", to: 6)) <= 6)
        #expect(TextWidth.fitted("ab", to: 4) == "ab  ")
        #expect(TextWidth.fitted("ab", to: 4, rightAligned: true) == "  ab")
    }

    @Test func `a name can not steer the terminal`() {
        #expect(TextWidth.printable("a\u{1B}[2Jb\n") == "a\u{FFFD}[2Jb\u{FFFD}")
        #expect(TextWidth.printable("gpj.\u{202E}exe\u{2028}\u{9B}") == "gpj.\u{FFFD}exe\u{FFFD}\u{FFFD}")
        #expect(TextWidth.printable("👩‍💻 ünï") == "👩‍💻 ünï")
    }
}

struct TableTests {
    private let table: Table = {
        var table = Table([.init("ID", isRightAligned: true), .init("NAME", isElastic: true), .init("STATE")])
        table.add(["1", "a-rather-long-name-of-a-file.tar.gz", "running"])
        table.add(["12", "b", "queued"])
        return table
    }()

    @Test func `columns are as wide as their widest cell when nobody says otherwise`() {
        #expect(
            table.lines(width: nil) == [
                "ID  NAME                                 STATE",
                " 1  a-rather-long-name-of-a-file.tar.gz  running",
                "12  b                                    queued",
            ])
    }

    @Test func `the elastic column gives way on a narrow terminal`() {
        #expect(
            table.lines(width: 32) == [
                "ID  NAME                 STATE",
                " 1  a-rather-…le.tar.gz  running",
                "12  b                    queued",
            ])
    }
}

struct ProgressLineTests {
    @Test func `a bar shows name, share, percent, rate and time left`() {
        let row = runningRow(received: 42 << 20, size: 100 << 20, rate: 10 << 20, from: 20 << 20)
        #expect(
            ProgressLine(width: 80, isUnicode: false).line(for: row)
                == "debian-12.iso         ###########-----------------   42 %   10.0 MiB/s     0:06")
        #expect(
            ProgressLine(width: 100, isUnicode: true).line(for: row)
                == "debian-12.iso           ━━━━━━━━━━━━─────────────────   42 %   10.0 MiB/s     0:06  from 20.0 MiB")
    }

    @Test func `an unknown size has no percent and no time left`() {
        let row = runningRow(received: 5 << 20, size: nil, rate: 1 << 20)
        #expect(
            ProgressLine(width: 80, isUnicode: false).line(for: row)
                == "debian-12.iso        -------------------------    5.0 MiB    1.0 MiB/s        -")
    }

    @Test(arguments: 20...200) func `no line is wider than the terminal`(width: Int) {
        let row = runningRow(
            name: "日本語の長い名前のファイル-with-a-long-tail.tar.gz", received: 1 << 40, size: 1 << 41, rate: 1 << 30,
            from: 1 << 39)
        var total = ProgressTotal()
        total.downloads = 10_000
        total.states = [.completed: 9_999]
        total.size = 1 << 50
        total.received = 1 << 49
        total.rate = 1 << 20
        let line = ProgressLine(width: width, isUnicode: true)
        #expect(TextWidth.columns(of: line.line(for: row)) < width)
        #expect(TextWidth.columns(of: line.line(for: total)) < width)
        #expect(line.line(for: row).contains("50 %") && line.line(for: total).contains("9999 of 10000"))
        #expect(TextWidth.columns(of: line.line(forMore: 1_000_000)) < width)
    }

    @Test func `the last bar is for all`() {
        var total = ProgressTotal()
        total.downloads = 12
        total.states = [.completed: 2, .failed: 1]
        total.received = 1 << 20
        total.size = 4 << 20
        total.rate = 1 << 20
        #expect(
            ProgressLine(width: 80, isUnicode: false).line(for: total)
                == "all                   ######--------------------  3 of 12    1.0 MiB/s     0:03")
    }
}
