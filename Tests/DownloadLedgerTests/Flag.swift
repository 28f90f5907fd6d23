import Synchronization

/// Something that is not so at first, and then is.
final class Flag: Sendable {
    private let state = Atomic(false)

    /// Whether it is so.
    var isSet: Bool { state.load(ordering: .acquiring) }

    /// It is so from now on.
    func set() { state.store(true, ordering: .releasing) }
}
