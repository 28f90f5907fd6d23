extension FixedWidthInteger {
    /// The sum, or the end of what the type holds where that is beyond it: a log that someone else made may hold any
    /// number, and what is counted on from there stays where it is.
    package func addingClamped(_ other: Self) -> Self {
        let (sum, isOver) = addingReportingOverflow(other)
        return isOver ? (other < 0 ? .min : .max) : sum
    }
}
