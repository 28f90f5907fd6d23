package import LedgerCoding

/// What lifts the events of every format that was ever released to the present one.
package enum Migrations {
    /// The upcasters in the order of their releases.
    package static let upcasters = UpcasterChain(UpcastPlainSHA256.kinds.map { UpcastPlainSHA256($0) })
}
