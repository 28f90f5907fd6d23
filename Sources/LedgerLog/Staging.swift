import LedgerModel

/// Records that wait for a commit, as the batches they will be: one, unless they outgrow
/// ``LogBounds/batchBytesMax``.
struct Staging: Sendable {
    private var full: [BatchWriter] = []
    private var last = BatchWriter()

    var count: Int { full.reduce(last.count) { $0 + $1.count } }
    var byteCount: Int { full.reduce(last.isEmpty ? 0 : last.length) { $0 + $1.length } }
    /// How many batches, and so syncs, a commit takes.
    var batchCount: Int { full.count + (last.isEmpty ? 0 : 1) }

    mutating func append(_ record: LogRecord, as sequence: SequenceNumber) {
        if last.bytes.count >= LogBounds.batchBytesMax {
            full.append(last)
            last = BatchWriter()
        }
        last.append(record, as: sequence)
    }

    /// Hands the first batch to `body`, in place.
    mutating func withFirst<R, E: Error>(_ body: (inout BatchWriter) throws(E) -> R) throws(E) -> R {
        if full.isEmpty { return try body(&last) }
        return try body(&full[0])
    }

    mutating func removeFirst() {
        if full.isEmpty { last.removeAll() } else { full.removeFirst() }
    }

    mutating func removeAll() {
        full.removeAll()
        last.removeAll()
    }
}
