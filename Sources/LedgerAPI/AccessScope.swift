/// What a client of the API may do; each includes those before it. Names go to scripts: they never change.
package enum AccessScope: Int, Hashable, Sendable, Codable, CaseIterable, Comparable {
    /// See everything that is not secret.
    case read
    /// Change downloads, listings and groups.
    case write
    /// Change how the program works: its limits, its log, its life.
    case admin

    /// The name.
    package var name: String {
        switch self {
        case .read: "read"
        case .write: "write"
        case .admin: "admin"
        }
    }

    /// The scope of a name.
    package init?(name: String) {
        guard let scope = Self.allCases.first(where: { $0.name == name }) else { return nil }
        self = scope
    }

    package static func < (one: AccessScope, other: AccessScope) -> Bool { one.rawValue < other.rawValue }
}
