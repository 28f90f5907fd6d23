#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// The house rules as a program: `ledger-tidy [ROOT]` prints each breach as `file:line: rule: what to do`.
///
/// Exits with 0 when there is none, 1 when there are some, 64 when it is called wrongly. `--sizes` prints the files and
/// lines of each target instead.
@main
struct LedgerTidy {
    static func main() throws {
        var arguments = Array(CommandLine.arguments.dropFirst())
        let showsSizes = arguments.first == "--sizes"
        if showsSizes { arguments.removeFirst() }
        guard arguments.count <= 1, arguments.first?.hasPrefix("-") != true else {
            print("usage: ledger-tidy [--sizes] [ROOT]")
            exit(64)
        }
        let tree = try Tree(root: arguments.first ?? ".")
        if showsSizes { return print(Sizes.table(of: tree.sources)) }
        let findings = Rules.findings(in: tree)
        for finding in findings { print(finding) }
        let lines = tree.sources.reduce(0) { $0 + $1.lines.count }
        print("ledger-tidy: \(tree.sources.count) Swift files, \(lines) lines, \(findings.count) findings")
        if !findings.isEmpty { exit(1) }
    }
}
