package import LedgerModel

extension Failure {
    /// Writes the failure's fields: 1 code, 2 message, 3 retryable, 4 status, 5 seconds the origin asked to wait,
    /// 6 whether the part is poisoned, 7 whether it is excused.
    package func encode(into writer: inout FieldWriter) {
        writer.string(1, code.rawValue)
        writer.string(2, message)
        writer.flag(3, isRetryable)
        writer.uint(4, ifPresent: status)
        writer.uint(5, ifPresent: retryAfterSeconds)
        writer.flag(6, poisonsPart)
        writer.flag(7, isExcused)
    }

    /// Reads what ``encode(into:)`` wrote.
    package static func decode(
        _ source: FieldReader, _ interner: inout Interner
    ) throws(CodingError) -> Failure {
        var reader = source
        let word = try reader.required(1)
        guard let code = Failure.Code(rawValue: try word.string(&interner)) else { throw word.badValue }
        var failure = Failure(
            code, try reader.required(2).string(&interner), isRetryable: try reader.flag(3),
            status: try reader.optional(4)?.uint(), retryAfterSeconds: try reader.optional(5)?.uint())
        failure.poisonsPart = try reader.flag(6)
        failure.isExcused = try reader.flag(7)
        try reader.finish()
        return failure
    }
}
