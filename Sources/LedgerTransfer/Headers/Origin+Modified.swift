import LedgerModel

extension Origin {
    /// When the entity was last changed, by its origin's word; nil when it gave none that can be read.
    func modified(now: Timestamp) -> Timestamp? {
        let stated: String? =
            switch validator {
            case .lastModified(let date)?: date
            case .entityTag?, nil: lastModified
            }
        return stated.flatMap { HTTPDate.parse($0, now: now) }
    }
}
