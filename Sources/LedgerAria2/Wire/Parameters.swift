import LedgerCoding

/// The parameters of a call without its token, read one by one as what they should be.
struct Parameters: Sendable {
    private static let tokenMark = "token:"

    private let values: [JSONValue]
    /// What stood behind `token:` in the first one; nil without one.
    let secret: String?

    init(_ values: [JSONValue]) {
        if case .string(let text)? = values.first, text.hasPrefix(Self.tokenMark) {
            secret = String(text.dropFirst(Self.tokenMark.count))
            self.values = Array(values.dropFirst())
        } else {
            (secret, self.values) = (nil, values)
        }
    }

    private subscript(index: Int) -> JSONValue? {
        // A plain nil would be JSON's null here, which is a value.
        index < values.count ? values[index] : Optional.none
    }

    private func required<Value>(
        _ index: Int, _ read: (Int) throws(Fault) -> Value?
    ) throws(Fault) -> Value {
        guard let value = try read(index) else { throw .missing(index) }
        return value
    }

    func text(_ index: Int) throws(Fault) -> String {
        switch self[index] {
        case nil: throw .missing(index)
        case .string(let text)?: return text
        default: throw .wrongType(index)
        }
    }

    func optionalList(_ index: Int) throws(Fault) -> [JSONValue]? {
        switch self[index] {
        case nil: return nil
        case .array(let values)?: return values
        default: throw .wrongType(index)
        }
    }

    func list(_ index: Int) throws(Fault) -> [JSONValue] { try required(index, optionalList) }

    /// The texts of a list; what is none is passed over, as aria2 does.
    func texts(_ index: Int) throws(Fault) -> [String] { try list(index).texts }

    func optionalTexts(_ index: Int) throws(Fault) -> [String] { try optionalList(index)?.texts ?? [] }

    func optionalObject(_ index: Int) throws(Fault) -> JSONObject? {
        switch self[index] {
        case nil: return nil
        case .object(let object)?: return object
        default: throw .wrongType(index)
        }
    }

    func object(_ index: Int) throws(Fault) -> JSONObject { try required(index, optionalObject) }

    func optionalNumber(_ index: Int) throws(Fault) -> Int64? {
        switch self[index] {
        case nil: return nil
        case .int(let number)?: return number
        case .uint(let number)?: return Int64(clamping: number)
        default: throw .wrongType(index)
        }
    }

    func number(_ index: Int, min: Int64 = .min) throws(Fault) -> Int64 {
        let number = try required(index, optionalNumber)
        guard number >= min else { throw .tooSmall(index, min: min) }
        return number
    }

    /// A place in a queue; nil when none is named.
    func optionalPosition(_ index: Int) throws(Fault) -> Int? {
        guard let number = try optionalNumber(index) else { return nil }
        guard number >= 0 else { throw .badPosition }
        return Int(clamping: number)
    }
}

extension [JSONValue] {
    /// Those of the values that are texts.
    fileprivate var texts: [String] {
        compactMap { value in
            if case .string(let text) = value { text } else { nil }
        }
    }
}
