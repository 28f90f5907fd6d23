/// A file as an origin in good order serves it, with ranges and conditions.
package struct OriginEntity: Sendable {
    /// Its bytes.
    package var bytes: [UInt8]
    /// Its `ETag` with quotes; nil for none.
    package var entityTag: String?
    /// Its `Last-Modified`; nil for none.
    package var lastModified: String?
    /// Its media type; nil for none.
    package var mediaType: String? = "application/octet-stream"
    /// More fields.
    package var fields: [(String, String)] = []
    /// Whether `Range` is understood.
    package var servesRanges = true
    /// Whether `If-Range` is obeyed.
    package var obeysIfRange = true

    /// A file under a strong tag.
    package init(_ bytes: [UInt8], entityTag: String? = "\"v1\"", lastModified: String? = nil) {
        self.bytes = bytes
        self.entityTag = entityTag
        self.lastModified = lastModified
    }

    /// `count` bytes that differ for each seed and at each place.
    package static func pattern(_ count: Int, seed: UInt64 = 1) -> [UInt8] {
        var generator = SplitMix64(seed: seed)
        return [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            let bytes = UnsafeMutableRawBufferPointer(buffer)
            for start in stride(from: 0, to: count, by: 8) {
                withUnsafeBytes(of: generator.next().littleEndian) { word in
                    UnsafeMutableRawBufferPointer(rebasing: bytes[start...]).copyBytes(from: word.prefix(count - start))
                }
            }
            initialized = count
        }
    }

    /// The answer of RFC 9110 to a request, on the wire.
    package func reply(to request: OriginRequest) -> OriginReply {
        let answer = response(to: request)
        return OriginReply(answer.status, answer.fields, body: answer.body)
    }

    /// The answer of RFC 9110 to a request, in parts.
    package func response(to request: OriginRequest) -> (status: Int, fields: [(String, String)], body: [UInt8]) {
        var headers: [(String, String)] = [("Date", "Tue, 03 Mar 2026 10:00:00 GMT")]
        if let entityTag { headers.append(("ETag", entityTag)) }
        if let lastModified { headers.append(("Last-Modified", lastModified)) }
        if let mediaType { headers.append(("Content-Type", mediaType)) }
        if servesRanges { headers.append(("Accept-Ranges", "bytes")) }
        headers += fields
        guard servesRanges, let start = request.rangeStart, isSame(request["if-range"]) else {
            return (200, headers, bytes)
        }
        guard start < bytes.count else { return (416, headers + [("Content-Range", "bytes */\(bytes.count)")], []) }
        let last = min(request.rangeLast ?? .max, bytes.count - 1)
        guard start <= last else { return (200, headers, bytes) }
        let range = ("Content-Range", "bytes \(start)-\(last)/\(bytes.count)")
        return (206, headers + [range], Array(bytes[start...last]))
    }

    private func isSame(_ validator: String?) -> Bool {
        guard let validator, obeysIfRange else { return true }
        return validator == entityTag || validator == lastModified
    }
}
