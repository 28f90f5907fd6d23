import Synchronization

/// A value that tasks of a test change in turn.
final class Locked<Value: Sendable>: Sendable {
    private let mutex: Mutex<Value>

    init(_ value: Value) { mutex = Mutex(value) }

    var value: Value { mutex.withLock { $0 } }

    func change(_ body: @Sendable (inout Value) -> Void) { mutex.withLock { body(&$0) } }
}
