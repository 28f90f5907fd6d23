import NIOCore
import Synchronization

/// Who holds one of a number of places, and who gives way when there are too few: whoever has kept the server waiting
/// longest. So many who do nothing keep out nobody who does something.
final class Places: Sendable {
    private struct Holder {
        /// The number of the change since which it keeps the server waiting; nil while it is served.
        var waitsSince: UInt64?
        let leave: @Sendable () -> Void
    }

    private struct State {
        var holders: [ObjectIdentifier: Holder] = [:]
        var changes: UInt64 = 0

        mutating func nextChange() -> UInt64 {
            changes += 1
            return changes
        }

        /// Takes its place from who is to give way; nil when everybody is served.
        mutating func dismiss() -> (@Sendable () -> Void)? {
            let waiting = holders.lazy.compactMap { holder in holder.value.waitsSince.map { (holder.key, $0) } }
            guard let (longest, _) = waiting.min(by: { $0.1 < $1.1 }) else { return nil }
            return holders.removeValue(forKey: longest)?.leave
        }
    }

    private let placesMax: Int
    private let state = Mutex(State())

    /// So many places.
    init(_ placesMax: Int) { self.placesMax = placesMax }

    /// Takes a place, whether there is one or not; when there is none, another holder gives way.
    /// - Parameter leave: called at most once, when this one is to give way: it holds no place any more then.
    /// - Returns: whether there was a place.
    func take(_ channel: any Channel, leave: @escaping @Sendable () -> Void) -> Bool {
        let (leavers, hasRoom) = state.withLock { state in
            var leavers: [@Sendable () -> Void] = []
            while state.holders.count >= placesMax, let leaver = state.dismiss() { leavers.append(leaver) }
            let holder = Holder(waitsSince: state.nextChange(), leave: leave)
            state.holders[ObjectIdentifier(channel)] = holder
            return (leavers, state.holders.count <= placesMax)
        }
        for leave in leavers { leave() }
        return hasRoom
    }

    /// From now on a holder gives way to nobody.
    func serve(_ channel: any Channel) {
        state.withLock { $0.holders[ObjectIdentifier(channel)]?.waitsSince = nil }
    }

    /// A holder keeps the server waiting again; while there are too few places somebody gives way at once.
    func wait(_ channel: any Channel) {
        let leaver = state.withLock { state -> (@Sendable () -> Void)? in
            guard var holder = state.holders[ObjectIdentifier(channel)] else { return nil }
            holder.waitsSince = state.nextChange()
            state.holders[ObjectIdentifier(channel)] = holder
            return state.holders.count > placesMax ? state.dismiss() : nil
        }
        leaver?()
    }

    /// Gives a place back.
    func free(_ channel: any Channel) { state.withLock { $0.holders[ObjectIdentifier(channel)] = nil } }
}
