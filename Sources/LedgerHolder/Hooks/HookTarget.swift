import Crypto
package import LedgerModel

/// What a hook is told of.
package enum HookOccasion: String, Hashable, Sendable, CaseIterable {
    case enqueue, complete
    /// It failed, and is not tried again by itself.
    case fail
    /// An attempt failed; it is made again.
    case retry
    case pause, resume, cancel, delete
    /// Its file was more than its group may hold.
    case evict
    /// Something that was done was undone.
    case undo
    case missing, altered

    /// The occasion that an event is; nil when it is none.
    init?(_ event: Event) {
        switch event {
        case .enqueued: self = .enqueue
        case .found(_, _, _, isKnown: true): return nil
        case .completed, .found: self = .complete
        case .failed(_, let retryAt): self = retryAt == nil ? .fail : .retry
        case .paused: self = .pause
        case .resumed: self = .resume
        case .cancelled: self = .cancel
        case .deleted(.evicted): self = .evict
        case .deleted(.expired): return nil
        case .deleted: self = .delete
        case .restored: self = .undo
        case .missing: self = .missing
        case .altered: self = .altered
        case .resolved, .progressed, .verified, .retried, .moved, .changed, .compacted, .checkpointed, .repaired,
            .redacted, .blamed, .rechecked, .unchanged, .used, .pinned, .relocated, .library:
            return nil
        }
    }
}

/// Who is told, and of what: a program that is started, or a web address that is posted to.
package struct HookTarget: Hashable, Sendable {
    /// Where it goes.
    package enum Place: Hashable, Sendable {
        /// The absolute path of a program.
        case program(String)
        /// An address, with its secrets and with the user who is to be authenticated (RFC 7617), if it names one.
        case web(ResourceURL.Parsed)
    }

    /// What it is told of; never empty.
    package let occasions: Set<HookOccasion>
    /// Where it goes.
    package let place: Place

    /// A target of these parts.
    package init(_ occasions: Set<HookOccasion>, _ place: Place) {
        self.occasions = occasions
        self.place = place
    }

    /// What it is, without secrets.
    package var details: String { text(\.url.redacted.text) }

    /// Its name in the ledger: a hash of all of it, so that a hook that is given again goes on where it was.
    package var name: String { Array(SHA256.hash(data: Array(text(\.text).utf8)).prefix(16)).hex }

    private func text(_ shown: KeyPath<ResourceURL.Parsed, String>) -> String {
        let words = occasions.map(\.rawValue).sorted().joined(separator: ",")
        return switch place {
        case .program(let path): "\(words)=\(path)"
        case .web(let address): "\(words)=\(address[keyPath: shown])"
        }
    }
}
