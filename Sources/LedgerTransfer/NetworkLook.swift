import LedgerSystem

/// A look at the networks of this machine: the real ones, or a test's.
package struct NetworkLook: Sendable {
    /// Whether an interface besides loopback is switched on, with a cable or without.
    package let hasInterface: @Sendable () -> Bool
    /// Whether there is a way to an address in numbers.
    package let hasWay: @Sendable (_ address: String) -> Bool
    /// Whether a resolver says that there is no such name. May block.
    package let isUnknown: @Sendable (_ host: String) -> Bool

    /// Addresses that stand for any (RFC 5737, RFC 3849): there is a way to one of them where there is one to
    /// everywhere.
    package static let anyAddresses = ["192.0.2.1", "2001:db8::1"]

    /// What the system says: ``LedgerSystem/Networks``.
    package static let system = NetworkLook(
        hasInterface: { Networks.hasInterface }, hasWay: { Networks.haveWay(to: $0) },
        isUnknown: { Networks.isUnknown($0) })

    /// A look by these means.
    package init(
        hasInterface: @escaping @Sendable () -> Bool, hasWay: @escaping @Sendable (String) -> Bool,
        isUnknown: @escaping @Sendable (String) -> Bool
    ) {
        self.hasInterface = hasInterface
        self.hasWay = hasWay
        self.isUnknown = isUnknown
    }
}
