/// What a group may hold of finished files; what is beyond is evicted, pinned files never.
package struct GroupLimits: Hashable, Sendable {
    /// How many of the newest files stay; nil for all.
    package var newestMax: UInt32?
    /// The bytes of all files together; of those beyond it, the least recently used go first. Nil for no limit.
    package var sizeBytesMax: UInt64?

    /// How many groups may have limits at once; one more is refused.
    package static let groupsMax = 10_000
    /// The longest name of a limited group in bytes.
    package static let nameBytesMax = 1024

    /// Limits; none by default.
    package init(newestMax: UInt32? = nil, sizeBytesMax: UInt64? = nil) {
        self.newestMax = newestMax
        self.sizeBytesMax = sizeBytesMax
    }

    /// Whether nothing is limited.
    package var isEmpty: Bool { newestMax == nil && sizeBytesMax == nil }
}
