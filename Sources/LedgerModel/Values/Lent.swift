/// A value that is lent where it stands. What can not be copied is not: a value that is read out of a list, also out of
/// a span, would be a copy, and counts a reference up and down for all that it holds.
package struct Lent<Value>: ~Copyable {
    /// The value, for as long as it is lent.
    package let value: Value
}

extension Array {
    /// Lends all elements where they stand.
    package func lend<Problem: Error>(
        _ body: (Span<Lent<Element>>) throws(Problem) -> Void
    ) throws(Problem) {
        try unsafe withUnsafeBufferPointer { elements throws(Problem) in
            // Laid out alike: one is nothing but the other.
            try unsafe elements.withMemoryRebound(to: Lent<Element>.self) { lent throws(Problem) in
                try unsafe body(lent.span)
            }
        }
    }
}
