package import LedgerModel

extension TransferOptions {
    /// Writes the options' fields: 1 each mirror, 2 bytes a second, 3 retries, 4 silence in milliseconds, 5 not before,
    /// 6 user agent, 7 proxy, 8 authority file, 9 insecure, 10 each header name, 11 forwards headers, 12 allows a
    /// downgrade, 13 resumes without a validator.
    package func encode(into writer: inout FieldWriter) {
        for mirror in mirrors { writer.string(1, mirror.text) }
        writer.uint(2, ifPresent: bytesPerSecondMax)
        writer.uint(3, ifPresent: retriesMax)
        writer.uint(4, ifPresent: silenceMillisecondsMax)
        writer.int(5, ifPresent: notBefore?.milliseconds)
        writer.string(6, ifPresent: userAgent)
        writer.string(7, ifPresent: proxy)
        writer.string(8, ifPresent: certificateAuthorityFile)
        writer.flag(9, isInsecure)
        for name in headerNames { writer.string(10, name) }
        writer.flag(11, forwardsHeaders)
        writer.flag(12, allowsDowngrade)
        writer.flag(13, resumesUnvalidated)
    }

    /// Reads what ``encode(into:)`` wrote.
    package static func decode(
        _ source: FieldReader, _ interner: inout Interner
    ) throws(CodingError) -> TransferOptions {
        var reader = source
        var options = TransferOptions()
        while let mirror = try reader.optional(1) { options.mirrors.append(try mirror.url()) }
        options.bytesPerSecondMax = try reader.optional(2)?.uint()
        options.retriesMax = try reader.optional(3)?.uint()
        options.silenceMillisecondsMax = try reader.optional(4)?.uint()
        options.notBefore = try reader.optional(5)?.timestamp()
        options.userAgent = try reader.optional(6)?.string(&interner)
        options.proxy = try reader.optional(7)?.string(&interner)
        options.certificateAuthorityFile = try reader.optional(8)?.path(&interner)
        options.isInsecure = try reader.flag(9)
        while let name = try reader.optional(10) { options.headerNames.append(try name.string(&interner)) }
        options.forwardsHeaders = try reader.flag(11)
        options.allowsDowngrade = try reader.flag(12)
        options.resumesUnvalidated = try reader.flag(13)
        try reader.finish()
        return options
    }
}
