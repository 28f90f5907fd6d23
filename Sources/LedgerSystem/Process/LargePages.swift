import CLedgerSystem

/// Memory in large pages, for work that takes hundreds of megabytes and keeps them: the kernel gives 2 MiB at a time
/// instead of 4 KiB, and finds them again by fewer looks at its tables. `madvise(2)`, `MADV_HUGEPAGE`. The first 64 MiB
/// that a process takes so come in usual pages.
package enum LargePages {
    /// Does `work` with the calling thread taking its memory in large pages, where the program and the system have
    /// them, and as ever elsewhere. What it takes meanwhile stays in them.
    package static func during<Answer, Problem: Error>(
        _ work: () throws(Problem) -> Answer
    ) throws(Problem) -> Answer {
        let before = ledger_take_large_pages()
        defer { ledger_take_usual_pages(before) }
        return try work()
    }
}
