import CLedgerSystem

/// The networks of this machine, looked at without sending anything.
package enum Networks {
    /// Whether an interface besides loopback is switched on, with a cable or without. `getifaddrs(3)`.
    package static var hasInterface: Bool { ledger_has_interface() != 0 }

    /// Whether there is a way to an address in numbers: a route (RFC 1122, 3.3.1), over an interface that is at work.
    /// What is no such address, or can not be looked at, counts as one. `connect(2)` of a datagram socket.
    package static func haveWay(to address: String) -> Bool {
        unsafe address.withCString { unsafe ledger_way_to($0) != 0 }
    }

    /// Whether a resolver says that there is no such name; false when none can be asked. Blocks, for as long as the
    /// resolver's own timeouts (resolv.conf(5)). `getaddrinfo(3)`.
    package static func isUnknown(_ host: String) -> Bool {
        unsafe host.withCString { unsafe ledger_name_is_unknown($0) != 0 }
    }
}
