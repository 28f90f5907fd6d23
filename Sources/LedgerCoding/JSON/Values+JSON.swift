package import LedgerModel

extension Digest {
    /// `"sha-256:hex"`.
    package var json: JSONValue { .string(description) }
}

extension ByteRangeSet {
    /// `[[from, to], ...]`, each range half-open.
    package var json: JSONValue {
        .array(ranges.map { [JSONValue($0.lowerBound), JSONValue($0.upperBound)] })
    }
}

extension Failure {
    /// `{"code", "message", "retryable", "status", "retryAfterSeconds"}`, and `"poisonsPart"` and `"excused"` when it
    /// does and is.
    package var json: JSONValue {
        var fields: JSONObject = [
            "code": .string(code.rawValue), "message": .string(message), "retryable": .bool(isRetryable),
            "status": JSONValue(status), "retryAfterSeconds": JSONValue(retryAfterSeconds),
        ]
        if poisonsPart { fields["poisonsPart"] = true }
        if isExcused { fields["excused"] = true }
        return .object(fields)
    }
}

extension Order {
    var fields: JSONObject {
        var fields: JSONObject = [
            "url": .string(url.text), "directory": .string(destination.directory), "name": JSONValue(destination.name),
            "collision": .string(destination.collision.name), "secret": JSONValue(secret?.description),
            "expected": expected?.json ?? .null,
        ]
        for label in labels.value.fields.members { fields[label.name] = label.value }
        fields["options"] = .object(options.value.fields)
        if let pieces = pieces?.value { fields["pieces"] = pieces.json }
        return fields
    }
}

extension Labels {
    /// Each under its name; those of an app or a publisher only where there are some.
    package var fields: JSONObject {
        var fields: JSONObject = [
            "group": JSONValue(group), "title": JSONValue(title), "details": JSONValue(details),
            "tags": JSONValue(tags),
        ]
        if let identifier { fields["identifier"] = .string(identifier) }
        if let published { fields["published"] = .string(published.rfc3339) }
        return fields
    }
}

extension PieceHashes {
    /// `{"algorithm", "length", "hashes"}`: of a piece its length in bytes, of all of them the hashes in hexadecimal.
    var json: JSONValue {
        [
            "algorithm": .string(algorithm.rawValue), "length": JSONValue(pieceLength), "hashes": .string(bytes.hex),
        ]
    }
}

extension TransferOptions {
    /// What was asked for; what was not is left out.
    package var fields: JSONObject {
        var fields: JSONObject = [:]
        if !mirrors.isEmpty { fields["mirrors"] = JSONValue(mirrors.map(\.text)) }
        fields["bytesPerSecondMax"] = bytesPerSecondMax.map { .uint($0) }
        fields["retriesMax"] = retriesMax.map { JSONValue($0) }
        fields["silenceMillisecondsMax"] = silenceMillisecondsMax.map { JSONValue($0) }
        fields["notBefore"] = notBefore.map { .string($0.rfc3339) }
        fields["userAgent"] = userAgent.map { .string($0) }
        fields["proxy"] = proxy.map { .string($0) }
        fields["certificateAuthorityFile"] = certificateAuthorityFile.map { .string($0) }
        if isInsecure { fields["isInsecure"] = true }
        if !headerNames.isEmpty { fields["headerNames"] = JSONValue(headerNames) }
        if forwardsHeaders { fields["forwardsHeaders"] = true }
        if allowsDowngrade { fields["allowsDowngrade"] = true }
        if resumesUnvalidated { fields["resumesUnvalidated"] = true }
        fields["rangesMax"] = rangesMax.map { JSONValue($0) }
        fields["window"] = window.map { .string($0.description) }
        if keepsRemoteTime { fields["keepsRemoteTime"] = true }
        if decompresses { fields["decompresses"] = true }
        fields["clientCertificateFile"] = clientCertificateFile.map { .string($0) }
        fields["clientKeyFile"] = clientKeyFile.map { .string($0) }
        fields["cookieFile"] = cookieFile.map { .string($0) }
        if prefersHTTP2 { fields["prefersHTTP2"] = true }
        fields["noProxy"] = noProxy.map { .string($0) }
        fields["expectedType"] = expectedType.map { .string($0) }
        fields["checksumFile"] = checksumFile.map { .string($0.text) }
        fields["expectedLength"] = expectedLength.map { .uint($0) }
        if refusesPrivateAddresses { fields["refusesPrivateAddresses"] = true }
        if refusesLinks { fields["refusesLinks"] = true }
        if namedComponents > 0 { fields["namedComponents"] = JSONValue(namedComponents) }
        return fields
    }
}

extension Origin {
    var fields: JSONObject {
        let (entityTag, lastModified): (String?, String?) =
            switch validator {
            case .entityTag(let tag): (tag, self.lastModified)
            case .lastModified(let date): (self.entityTag, date)
            case nil: (self.entityTag, self.lastModified)
            }
        var fields: JSONObject = [
            "url": .string(url.text), "length": JSONValue(length), "entityTag": JSONValue(entityTag),
            "lastModified": JSONValue(lastModified), "acceptsRanges": .bool(acceptsRanges),
            "mediaType": JSONValue(mediaType), "suggestedName": .string(suggestedName),
        ]
        // Only with more than one of them it does not go without saying which the bytes were fetched under.
        if self.entityTag != nil || self.lastModified != nil {
            fields["validator"] = JSONValue(validator?.headerValue)
        }
        if let digest { fields["digest"] = digest.json }
        if !mirrors.isEmpty { fields["mirrors"] = JSONValue(mirrors.map(\.text)) }
        if let answeredAt { fields["answeredAt"] = .string(answeredAt.rfc3339) }
        if let source { fields["source"] = .string(source.text) }
        if beginnings > 0 { fields["beginnings"] = JSONValue(beginnings) }
        if let contentCoding { fields["contentCoding"] = .string(contentCoding) }
        return fields
    }
}

extension FileIdentity {
    var fields: JSONObject {
        [
            "length": JSONValue(length), "modifiedNanoseconds": JSONValue(modifiedNanoseconds),
            "inode": JSONValue(inode),
        ]
    }
}

extension Deletion {
    var fields: JSONObject {
        switch self {
        case .keepFile: ["file": "kept", "trashPath": nil]
        case .trash(let path): ["file": "trashed", "trashPath": .string(path)]
        case .purge: ["file": "purged", "trashPath": nil]
        case .evicted: ["file": "evicted", "trashPath": nil]
        case .expired(let path): ["file": "expired", "trashPath": .string(path)]
        }
    }
}

extension Destination.Collision {
    var name: String {
        switch self {
        case .number: "number"
        case .overwrite: "overwrite"
        case .skip: "skip"
        case .refuse: "refuse"
        }
    }
}
