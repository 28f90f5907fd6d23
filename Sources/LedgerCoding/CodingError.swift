package import LedgerModel

/// Why bytes are not the event or the state they should be.
package struct CodingError: Error, Hashable, Sendable {
    /// What is wrong.
    package enum Problem: Hashable, Sendable {
        /// The bytes end inside a field.
        case truncated(offset: Int)
        /// A varint is longer than 64 bits, or not in its shortest form.
        case badVarint(offset: Int)
        /// A field announces a wire kind that format 1 does not have.
        case badWireKind(UInt8, offset: Int)
        /// Field numbers do not ascend.
        case outOfOrder(field: UInt32)
        /// A field carries another wire kind than its schema says.
        case wrongKind(field: UInt32)
        /// A field that the schema requires is not there.
        case missing(field: UInt32)
        /// A field's value is out of its range.
        case badValue(field: UInt32)
        /// A text is not UTF-8.
        case badText(field: UInt32)
        /// The type is unknown, and not one that older programs may skip.
        case unknownType
        /// The type is known, its schema version is not yet.
        case newerVersion(known: UInt8)
        /// No upcaster leads from this old version to the present one.
        case noUpcaster
        /// The event is about a download that no event before it enqueued.
        case unknownDownload
        /// What was encoded reads as another event.
        case unfaithful
        /// The payload is longer than one may be.
        case tooLong(bytes: Int, max: Int)
        /// With it, the files of a log are longer together than can be counted.
        case tooManyBytes
        /// A state was written under another version of its projection.
        case otherProjection(known: UInt16, found: UInt16)
    }

    /// What is wrong.
    package let problem: Problem
    /// The record's type byte, when an event was being decoded.
    package private(set) var type: UInt8?
    /// The record's schema version, when an event was being decoded.
    package private(set) var version: UInt8?
    /// The record's place in the log, when it is known.
    package private(set) var sequence: SequenceNumber?

    /// A problem whose place is not known yet.
    package init(_ problem: Problem) { self.problem = problem }

    /// The same problem, with the record it stands in.
    package func at(type: UInt8, version: UInt8, sequence: SequenceNumber?) -> CodingError {
        var error = self
        error.type = type
        error.version = version
        error.sequence = sequence
        return error
    }

    /// Whether a newer release of the program wrote what this one can not read: the cure is an update, not a repair.
    package var needsUpdate: Bool {
        switch problem {
        case .unknownType, .newerVersion: true
        case .otherProjection(let known, let found): found > known
        case .truncated, .badVarint, .badWireKind, .outOfOrder, .wrongKind, .missing, .badValue, .badText, .noUpcaster,
            .unknownDownload, .unfaithful, .tooLong, .tooManyBytes:
            false
        }
    }
}

extension CodingError: CustomStringConvertible {
    /// What, why and what next, on three lines.
    package var description: String {
        let what = type.map { type in
            let name = Event.Kind(rawValue: type).map { "'" + $0.name + "'" } ?? "of type " + String(type)
            return "event " + (sequence.map { $0.description + " " } ?? "") + name
        }
        let head = (what ?? "a stored state") + " can not be read"
        return head + "\n  cause: " + cause + "\n  next:  " + next
    }

    /// The reason in one line.
    package var cause: String {
        switch problem {
        case .truncated(let offset): "its bytes end inside the field at offset \(offset)"
        case .badVarint(let offset): "the number at offset \(offset) is not a varint in its shortest form"
        case .badWireKind(let kind, let offset): "the field at offset \(offset) has the unknown wire kind \(kind)"
        case .outOfOrder(let field): "field \(field) stands after a higher one"
        case .wrongKind(let field): "field \(field) has another wire kind than its schema says"
        case .missing(let field): "field \(field) is missing"
        case .badValue(let field): "the value of field \(field) is out of range"
        case .badText(let field): "the text of field \(field) is not UTF-8"
        case .unknownType: "this program does not know the type"
        case .newerVersion(let known):
            "its schema version is \(version.map(String.init) ?? "newer"), this program knows up to \(known)"
        case .noUpcaster:
            "no upcaster leads from its schema version \(version.map(String.init) ?? "") to the present one"
        case .unknownDownload: "it is about a download that no event before it enqueued"
        case .unfaithful: "it would be read back as another event"
        case .tooLong(let bytes, let max): "it takes \(bytes) bytes, and a record holds \(max)"
        case .tooManyBytes: "the files up to here are longer together than any disks"
        case .otherProjection(let known, let found):
            "it was written under version \(found) of the fold, this program has version \(known)"
        }
    }

    /// What to do about it.
    package var next: String {
        if needsUpdate { return "update ledger: a newer release wrote this" }
        return "'ledger verify' shows whether the log is damaged; if it is not, this is a bug worth reporting"
    }
}
