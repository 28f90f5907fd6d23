import LedgerModel

/// The hosts that are reached without a proxy, read as curl reads `NO_PROXY`.
///
/// Entries stand apart by commas or spaces. A name covers itself and everything below it, with or without a dot ahead;
/// an address covers itself; an address with `/BITS` covers its network; `*` covers all.
package struct NoProxy: Hashable, Sendable {
    private enum Entry: Hashable, Sendable {
        case all
        case name(String)
        case network(IPAddress, bits: Int)
    }

    private let entries: [Entry]

    /// Reads a list; what is neither a name nor an address covers nothing.
    package init(parsing text: String) {
        entries = text.split { $0 == "," || $0.isWhitespace }.compactMap { Self.entry(String($0)) }
    }

    /// Whether a host, a name or an address without brackets, is reached without the proxy.
    package func covers(_ host: String) -> Bool {
        let address = IPAddress(parsing: host)
        let name = Self.bare(host.lowercased())
        return entries.contains { entry in
            switch entry {
            case .all: true
            case .name(let suffix): address == nil && (name == suffix || name.hasSuffix("." + suffix))
            case .network(let network, let bits): address?.isWithin(network, bits: bits) ?? false
            }
        }
    }

    private static func entry(_ text: String) -> Entry? {
        if text == "*" { return .all }
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        if let address = IPAddress(parsing: parts[0]) {
            guard parts.count > 1 else { return .network(address, bits: 8 * address.bytes.count) }
            guard parts.count == 2, let bits = Int(parts[1]) else { return nil }
            return .network(address, bits: bits)
        }
        let name = bare(text.lowercased().drop { $0 == "." })
        return name.isEmpty ? nil : .name(name)
    }

    /// A name without the dot that ends it.
    private static func bare(_ name: some StringProtocol) -> String {
        String(name.hasSuffix(".") ? name.dropLast() : name[...])
    }
}
