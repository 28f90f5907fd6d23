import CLedgerSystem

/// Memory in large pages, for work that takes hundreds of megabytes and keeps them: the kernel gives 2 MiB at a time
/// instead of 4 KiB, and finds them again by fewer looks at its tables. `madvise(2)`, `MADV_HUGEPAGE`.
package enum LargePages {
    /// What is read at least to come to so much: with less, a small ledger would not stay small.
    package static let readBytesMin: UInt64 = 64 << 20

    /// Does `work` with the calling thread taking its memory in large pages, where the program and the system have
    /// them, and as ever elsewhere. What it takes meanwhile stays in them.
    /// - Parameter isWorthIt: whether it takes as much; else it is done as ever.
    package static func during<Answer, Problem: Error>(
        where isWorthIt: Bool = true, _ work: () throws(Problem) -> Answer
    ) throws(Problem) -> Answer {
        guard isWorthIt else { return try work() }
        let before = ledger_take_large_pages()
        defer { ledger_take_usual_pages(before) }
        return try work()
    }
}
