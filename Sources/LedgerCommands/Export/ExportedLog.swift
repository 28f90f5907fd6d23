import LedgerCoding
import LedgerHolder
import LedgerModel
import LedgerViews

/// The first and the last line of a log in JSON: between them stands one event a line, as `replay --json` prints it.
///
/// A place whose record means nothing to this program is a line `{"seq": N, "type": "gap"}`.
enum ExportedLog {
    /// The version of the form that is written, and the newest that is read.
    static let format: UInt64 = 1
    /// The type of a line that stands for no event.
    static let gap = "gap"

    /// The first line.
    struct Header: Hashable, Sendable {
        /// The ledger it was, in hexadecimal.
        var ledger: String
        /// The sequence of the last line before the summary.
        var last: SequenceNumber

        var json: JSONValue {
            [
                "export": [
                    "format": JSONValue(ExportedLog.format), "ledger": .string(ledger),
                    "last": JSONValue(last.rawValue),
                ]
            ]
        }

        /// Reads a first line.
        /// - Throws: ``JSONProblem``; also when a newer release wrote it.
        init(_ value: JSONValue) throws(JSONProblem) {
            let fields = try JSONFields(value).fields("export")
            let format: UInt64 = try fields.number("format")
            guard format <= ExportedLog.format else {
                throw JSONProblem(
                    "the file is of format \(format), this program knows \(ExportedLog.format): update ledger")
            }
            ledger = try fields.text("ledger")
            last = SequenceNumber(try fields.number("last"))
        }

        init(ledger: String, last: SequenceNumber) {
            self.ledger = ledger
            self.last = last
        }
    }

    /// The last line: what tells a whole file from one that was cut or changed.
    struct Summary: Hashable, Sendable {
        /// How many events stand in the file.
        var events: UInt64
        /// How many lines stand for none.
        var gaps: UInt64
        /// The sequence of the last line before this one.
        var last: SequenceNumber
        /// The root of the log there, in hexadecimal; nil within a batch, where none was recorded.
        var root: String?
        /// The digest of the state there.
        var digest: Digest
        /// The ``LinesDigest``; nil of a release before this was written.
        var linesDigest: Digest?

        var json: JSONValue {
            [
                "summary": [
                    "events": JSONValue(events), "gaps": JSONValue(gaps), "last": JSONValue(last.rawValue),
                    "root": JSONValue(root), "digest": digest.json, "linesDigest": linesDigest?.json ?? .null,
                ]
            ]
        }

        /// Reads a last line.
        init(_ value: JSONValue) throws(JSONProblem) {
            let fields = try JSONFields(value).fields("summary")
            events = try fields.number("events")
            gaps = try fields.number("gaps")
            last = SequenceNumber(try fields.number("last"))
            root = try fields.optionalText("root")
            guard let digest = try fields.digest("digest") else { throw JSONProblem("'digest' is missing") }
            self.digest = digest
            linesDigest = try fields.digest("linesDigest")
        }

        init(
            events: UInt64, gaps: UInt64, last: SequenceNumber, root: String?, digest: Digest, linesDigest: Digest
        ) {
            self.linesDigest = linesDigest
            self.events = events
            self.gaps = gaps
            self.last = last
            self.root = root
            self.digest = digest
        }
    }

    /// The line for a place without an event.
    static func gapLine(_ sequence: SequenceNumber) -> JSONValue {
        ["seq": JSONValue(sequence.rawValue), "type": .string(gap)]
    }

    /// Whether a text begins as a log that was exported does.
    static func isBegun(by bytes: some Sequence<UInt8>) -> Bool {
        let mark = "{\"export\":".utf8
        let spaces: Set<UInt8> = [0x20, 0x09, 0x0A, 0x0D, 0xEF, 0xBB, 0xBF]
        return bytes.lazy.filter { !spaces.contains($0) }.starts(with: mark)
    }
}
