import Synchronization

/// A function of all downloads that follows their changes once it was built.
protocol DownloadIndex: Sendable {
    /// That of no downloads.
    init()
    /// That of all downloads of a table.
    init(of downloads: DownloadTable)
}

/// An index of downloads that is built when somebody first asks for it: most programs that open a long history never
/// ask what a download goes by or whose file stands where, and to find out is most of the work. One that goes on for
/// long has it done beside all else, on a copy of the state: what is built for one copy is there for all, until it
/// changes.
struct OnDemand<Index: DownloadIndex>: Sendable {
    /// What was built for states that have the same downloads: whoever has built it first has built it for all copies.
    private final class Shared: Sendable {
        let index = Mutex<Index?>(nil)
    }

    private var index: Index?
    /// Nil where ``index`` is there.
    private var shared: Shared?

    /// The index of no downloads, from here on kept.
    init() { index = Index() }

    private init(_ shared: Shared) { self.shared = shared }

    /// An index that is built when it is asked for.
    static var unbuilt: OnDemand { OnDemand(Shared()) }

    /// The index of these downloads, which are those that every change was told of.
    func of(_ downloads: DownloadTable) -> Index {
        if let index { return index }
        guard let shared else { preconditionFailure("the index is there, or those who share it") }
        if let built = shared.index.withLock({ $0 }) { return built }
        // Not under the lock: a thread that everything else goes before may be building it, and who asks can not wait
        // for that one.
        let built = Index(of: downloads)
        return shared.index.withLock { index in
            let first = index ?? built
            index = first
            return first
        }
    }

    /// Has an index that was built follow a change of the downloads; another is built behind it, if at all: what is
    /// being built meanwhile is of the downloads before.
    mutating func change(_ body: (inout Index) -> Void) {
        // Asked first: whoever builds it holds it too, and may be done, and gone, right after a look that found none.
        let isAlone = isKnownUniquelyReferenced(&shared)
        if let built = shared?.index.withLock({ $0 }) { (index, shared) = (built, nil) }
        if index != nil {
            body(&index!)
        } else if !isAlone {
            shared = Shared()
        }
    }
}
