import LedgerModel

extension FieldWriter {
    /// A phase in two fields: its number, and for a waiting one the instant in the field after it.
    mutating func phase(_ field: UInt32, _ phase: Phase) {
        uint(field, phase.number)
        if case .waiting(let until) = phase { int(field + 1, until.milliseconds) }
    }
}

extension FieldReader {
    mutating func phase(_ number: UInt32) throws(CodingError) -> Phase {
        let field = try required(number)
        let until = try optional(number + 1)?.timestamp()
        switch try field.uint(as: UInt8.self) {
        case 1: return .queued
        case 2:
            guard let until else { throw CodingError(.missing(field: number + 1)) }
            return .waiting(until: until)
        case 3: return .paused
        case 4: return .publishing
        case 5: return .completed
        case 6: return .missing
        case 7: return .altered
        case 8: return .failed
        case 9: return .cancelled
        case 10: return .deleted
        default: throw field.badValue
        }
    }
}

extension Phase {
    /// The number that stands for the phase in a snapshot.
    fileprivate var number: UInt8 {
        switch self {
        case .queued: 1
        case .waiting: 2
        case .paused: 3
        case .publishing: 4
        case .completed: 5
        case .missing: 6
        case .altered: 7
        case .failed: 8
        case .cancelled: 9
        case .deleted: 10
        }
    }
}
