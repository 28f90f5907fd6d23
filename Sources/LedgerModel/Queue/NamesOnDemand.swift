import Synchronization

/// ``NameIndexes`` of downloads that are at hand, built when somebody first asks by a name: most programs that open a
/// long queue never do, and it is a third of the work. One that goes on for long has it done beside all else, on a copy
/// of the state: what is built for one copy is there for all, until a name changes.
struct NamesOnDemand: Sendable {
    /// What was built for states that have the same downloads: whoever asks first builds for all copies.
    private final class Shared: Sendable {
        let names = Mutex<NameIndexes?>(nil)
    }

    private var names: NameIndexes?
    /// Nil where ``names`` are there.
    private var shared: Shared?

    /// The names of no downloads, from here on kept.
    init() { names = NameIndexes() }

    private init(_ shared: Shared) { self.shared = shared }

    /// Names that are built when they are asked for.
    static var unbuilt: NamesOnDemand { NamesOnDemand(Shared()) }

    /// The names of these downloads, which are those that every change was told of.
    func of(_ downloads: DownloadTable) -> NameIndexes {
        if let names { return names }
        guard let shared else { preconditionFailure("names are there, or those who share them") }
        return shared.names.withLock { names in
            let built = names ?? NameIndexes(of: downloads)
            names = built
            return built
        }
    }

    /// Has names that were built follow a change of the downloads; others are built behind it, if at all.
    mutating func change(_ body: (inout NameIndexes) -> Void) {
        if let shared {
            names = shared.names.withLock { $0 }
            self.shared = names == nil ? Shared() : nil
        }
        if names != nil { body(&names!) }
    }
}
