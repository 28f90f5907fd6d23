import LedgerModel
import LedgerTestSupport
import LedgerTransfer
import Testing

/// Rows 31 to 33: names that servers suggest.
@Suite struct NameCaseTests {
    static let rows = [
        ("31-dotdot", "x.bin"), ("31-absolute", "passwd"), ("31-backslashes", "evil.exe"), ("31-drive", "C_evil.exe"),
        ("31-encoded-slashes", "evil.bin"), ("31-nul", "a_b.bin"), ("31-control", "a__b.bin"),
        ("31-only-dots", "file.bin"), ("31-empty", "file.bin"), ("31-extended", "evil.bin"),
        ("31-both-forms", "naïve.txt"), ("31-latin-1", "naïve.txt"), ("32-dot", "_.bashrc"),
        ("32-hyphen", "_-rf.bin"), ("32-device", "_CON.txt"), ("32-dot-in-url", "_.profile"),
        ("33-long", String(repeating: "ü", count: 96) + ".tar.gz"), ("33-not-utf8", "a__b.bin"),
    ]

    @Test(arguments: rows) func `a name from a server stays inside the directory, in sight and within bounds`(
        slug: String, name: String
    ) async throws {
        let theCase = try Bench.named(slug)
        try await Bench.run { bench in
            await bench.completes(try bench.assignment(theCase), as: name)
            #expect(try bench.names == [name])
            #expect(try bench.holds(theCase, under: name))
            #expect(bench.reports.all.kinds == ["resolved 1", "verified 700001 \(name)", "completed 700001"])
            #expect(bench.seen(theCase).requests.count == 1)
            #expect(theCase.names.isEmpty || theCase.names.contains(name))
        }
    }

    @Test(arguments: ["31-dotdot", "32-dot"]) func `a name of the user's own is taken before any of a server's`(
        slug: String
    ) async throws {
        let theCase = try Bench.named(slug)
        try await Bench.run { bench in
            await bench.completes(try bench.assignment(theCase, name: ".mine"), as: ".mine")
            #expect(try bench.names == [".mine"])
        }
    }
}
