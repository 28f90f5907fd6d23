import LedgerCoding
import LedgerModel

extension EventDecoder {
    /// The event that a record holds whose payload stands in a list: what a macro can hand on.
    mutating func decode(
        type: UInt8, version: UInt8, payload: ArraySlice<UInt8>, sequence: SequenceNumber, time: Timestamp
    ) throws(CodingError) -> Recorded? {
        try decode(type: type, version: version, payload: payload.span, sequence: sequence, time: time)
    }
}
