#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The signals this program sends or is sent. `signal(7)`.
package enum Signal: Hashable, Sendable, CaseIterable {
    /// Ctrl-C.
    case interrupt
    /// The polite request to end.
    case terminate
    /// The terminal went away.
    case hangUp
    /// The end, without being asked. Can be sent and not be caught.
    case kill

    /// The system's number for it.
    package var number: Int32 {
        switch self {
        case .interrupt: SIGINT
        case .terminate: SIGTERM
        case .hangUp: SIGHUP
        case .kill: SIGKILL
        }
    }
}
