package import LedgerCoding

/// What lifts the events of every format that was ever released to the present one.
package enum Migrations {
    /// The upcasters in the order of their releases. Format 1 is the first: there is nothing to lift yet.
    package static let upcasters = UpcasterChain([])
}
