import HTTPTypes
package import LedgerModel

extension HTTPFields {
    /// The longest tag or date that is kept, in bytes: it goes into the log, and back to the origin.
    private static let keptBytesMax = 1024

    /// The value of a field that tells versions of an entity apart; nil where there is none, or it is too long to be
    /// kept.
    func kept(_ name: HTTPField.Name) -> String? {
        value(of: name).flatMap { $0.isEmpty || $0.utf8.count > Self.keptBytesMax ? nil : $0 }
    }
}

extension Origin {
    /// Keeps what a later question whether the entity is still the same needs, as far as the validator is not that.
    mutating func note(_ fields: HTTPFields) {
        entityTag = fields.kept(.eTag).flatMap { EntityTag(parsing: $0) == nil ? nil : $0 }
        lastModified = fields.kept(.lastModified)
        switch validator {
        case .entityTag: entityTag = nil
        case .lastModified: lastModified = nil
        case nil: break
        }
    }

    /// The tag and the date that the origin stated with the entity; one of them is the validator.
    package var stated: (entityTag: String?, lastModified: String?) {
        switch validator {
        case .entityTag(let tag): (tag, lastModified)
        case .lastModified(let date): (entityTag, date)
        case nil: (entityTag, lastModified)
        }
    }

    /// Whether an answer states another tag, strong or weak, or another date: whatever else is the same, the entity is
    /// not.
    func isContradicted(by fields: HTTPFields) -> Bool {
        let (tag, date) = stated
        let (own, other) = (tag.flatMap(EntityTag.init), fields.value(of: .eTag).flatMap(EntityTag.init))
        if let own, let other, own.quoted != other.quoted { return true }
        // A strong tag where a date alone told versions apart is a new one; one that is too long to be kept may have
        // been there.
        if case .lastModified? = validator, tag == nil, let other, !other.isWeak, fields.kept(.eTag) != nil {
            return true
        }
        guard let date, let text = fields.value(of: .lastModified), !isSameDate(text, date) else { return false }
        // One that goes with the clock tells of nothing.
        let now = answeredAt ?? .epoch
        guard let after = HTTPDate.parse(text, now: now) else { return true }
        let answered = fields.value(of: .date).flatMap { HTTPDate.parse($0, now: now) }
        return answered.map { after.advanced(by: .seconds(1)) <= $0 } ?? true
    }

    /// Whether an answer states the date that the origin stated, and there is one.
    func isOfSameDate(_ fields: HTTPFields) -> Bool {
        guard let date = stated.lastModified, let text = fields.value(of: .lastModified) else { return false }
        return isSameDate(text, date)
    }

    /// Whether two dates of the origin are the same instant, however they are spelled.
    func isSameDate(_ one: String, _ other: String) -> Bool {
        let now = answeredAt ?? .epoch
        return one == other || HTTPDate.parse(one, now: now).map { $0 == HTTPDate.parse(other, now: now) } ?? false
    }

    /// The field that lets the origin answer 304 while its entity is the one this is about (RFC 9110, sections 13.1.2
    /// and 13.1.3); nil when nothing tells.
    var condition: HTTPField? {
        switch validator {
        case .entityTag(let tag): return HTTPField(name: .ifNoneMatch, value: tag)
        case .lastModified(let date) where entityTag == nil: return HTTPField(name: .ifModifiedSince, value: date)
        case .lastModified, nil: break
        }
        if let entityTag { return HTTPField(name: .ifNoneMatch, value: entityTag) }
        return lastModified.map { HTTPField(name: .ifModifiedSince, value: $0) }
    }
}
