import Synchronization

/// A point in an answer that a test holds shut until it wants the rest to come.
package final class OriginGate: Sendable {
    private struct State {
        var isOpen = false
        var isReached = false
        var held: [CheckedContinuation<Void, Never>] = []
        var watchers: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    /// A shut gate.
    package init() {}

    /// Whether answers go on.
    package var isOpen: Bool { state.withLock { $0.isOpen } }

    /// Lets the answer go on.
    package func open() {
        let held = state.withLock { state in
            state.isOpen = true
            defer { state.held = [] }
            return state.held
        }
        for continuation in held { continuation.resume() }
    }

    /// Waits until the answer stands at the gate.
    package func reached() async {
        await withCheckedContinuation { continuation in
            let isReached = state.withLock { state in
                if !state.isReached { state.watchers.append(continuation) }
                return state.isReached
            }
            if isReached { continuation.resume() }
        }
    }

    /// Stands at the gate until it is open.
    package func pass() async {
        let watchers = state.withLock { state in
            state.isReached = true
            defer { state.watchers = [] }
            return state.watchers
        }
        for watcher in watchers { watcher.resume() }
        await withCheckedContinuation { continuation in
            let isOpen = state.withLock { state in
                if !state.isOpen { state.held.append(continuation) }
                return state.isOpen
            }
            if isOpen { continuation.resume() }
        }
    }
}
