package import LedgerModel

extension TransferOptions {
    /// Writes the options' fields: 1 each mirror, 2 bytes a second, 3 retries, 4 silence in milliseconds, 5 not before,
    /// 6 user agent, 7 proxy, 8 authority file, 9 insecure, 10 each header name, 11 forwards headers, 12 allows a
    /// downgrade, 13 resumes without a validator, 14 ranges, 15 and 16 the window's minutes, 17 keeps the remote time,
    /// 18 decompresses, 19 client certificate, 20 its key, 21 cookie file, 22 prefers HTTP/2, 23 no proxy for, 26
    /// expected type, 27 checksum file, 28 expected length, 29 refuses private addresses, 30 refuses links, 31 the
    /// components that a server named.
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
        writer.uint(14, ifPresent: rangesMax)
        writer.uint(15, ifPresent: window?.start)
        writer.uint(16, ifPresent: window?.end)
        writer.flag(17, keepsRemoteTime)
        writer.flag(18, decompresses)
        writer.string(19, ifPresent: clientCertificateFile)
        writer.string(20, ifPresent: clientKeyFile)
        writer.string(21, ifPresent: cookieFile)
        writer.flag(22, prefersHTTP2)
        writer.string(23, ifPresent: noProxy)
        writer.string(26, ifPresent: expectedType)
        writer.string(27, ifPresent: checksumFile?.text)
        writer.uint(28, ifPresent: expectedLength)
        writer.flag(29, refusesPrivateAddresses)
        writer.flag(30, refusesLinks)
        writer.uint(31, ifPresent: namedComponents > 0 ? namedComponents : nil)
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
        options.rangesMax = try reader.optional(14)?.uint()
        options.window = try window(&reader)
        options.keepsRemoteTime = try reader.flag(17)
        options.decompresses = try reader.flag(18)
        options.clientCertificateFile = try reader.optional(19)?.path(&interner)
        options.clientKeyFile = try reader.optional(20)?.path(&interner)
        options.cookieFile = try reader.optional(21)?.path(&interner)
        options.prefersHTTP2 = try reader.flag(22)
        options.noProxy = try reader.optional(23)?.string(&interner)
        options.expectedType = try reader.optional(26)?.string(&interner)
        options.checksumFile = try reader.optional(27)?.url()
        options.expectedLength = try reader.optional(28)?.uint()
        options.refusesPrivateAddresses = try reader.flag(29)
        options.refusesLinks = try reader.flag(30)
        options.namedComponents = try reader.optional(31)?.uint() ?? 0
        try reader.finish()
        return options
    }

    private static func window(_ reader: inout FieldReader) throws(CodingError) -> DailyWindow? {
        let start: UInt16? = try reader.optional(15)?.uint()
        let end: UInt16? = try reader.optional(16)?.uint()
        guard let start, let end else {
            guard start == nil, end == nil else { throw CodingError(.badValue(field: 15)) }
            return nil
        }
        guard let window = DailyWindow(start: start, end: end) else { throw CodingError(.badValue(field: 15)) }
        return window
    }
}
