package import LedgerAPI
package import LedgerCoding
package import LedgerLog
package import LedgerModel
package import LedgerSystem

/// Why the ledger could not do what was asked. Commands that are refused are no errors: see ``Outcome``.
package enum LedgerError: Error, Sendable {
    /// The log is damaged, locked, missing, or its disk failed.
    case log(LogError)
    /// A file of the home or of a download could not be touched.
    case file(FileError)
    /// A record holds something this version can not read.
    case coding(CodingError)
    /// The ledger was closed, or closed itself after its disk failed; open it again.
    case closed
    /// The point asked for lies behind the last event.
    case pastEnd(LogPoint, last: SequenceNumber)
    /// The point asked for lies before the oldest snapshot; the archive that holds it is not at hand, and `missing` are
    /// the files of it that are needed, as far as that is known.
    case compacted(LogPoint, through: SequenceNumber, missing: [String] = [])

    /// Whether the home has no room for what was to be recorded.
    var isNoRoom: Bool { if case .log(let cause) = self { cause.code == .full } else { false } }
}
