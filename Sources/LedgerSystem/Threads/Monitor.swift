import Dispatch

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// A value behind a lock, and threads that sleep until it changes.
///
/// Each thread sleeps on a semaphore of its own, which is two calls into the system for each sleep: with
/// `pthread_cond_wait(3)` it would be three, for glibc has whoever unlocks the mutex behind it look for others. Of a
/// condition that several wait for, glibc before 2.41 may besides lose a wake-up (sourceware.org, bug 25847): a pool
/// would stand still with work at hand. A thread is woken once the lock is free again, or it would wake for the lock
/// alone, and sleep once more.
///
/// `@unchecked Sendable`: `state`, `sleepers` and `spare` are touched only between lock and unlock of `mutex`; the
/// pointer never changes and is freed when nobody can reach it any more.
@safe final class Monitor<State: Sendable>: @unchecked Sendable {
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private var state: State
    /// Those of the threads that wait for a change and were not woken yet.
    private var sleepers: [DispatchSemaphore] = []
    /// Those that nobody sleeps on now.
    private var spare: [DispatchSemaphore] = []

    init(_ state: State) {
        self.state = state
        unsafe mutex = .mutex()
    }

    deinit {
        unsafe pthread_mutex_destroy(mutex)
        unsafe mutex.deallocate()
    }

    /// Works on the state, alone.
    func withLock<Answer>(_ body: (inout State) -> Answer) -> Answer {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        return body(&state)
    }

    /// Works on the state and wakes one thread that waits for it, the last that came, or all of them.
    func change<Answer>(wakingAll: Bool = false, _ body: (inout State) -> Answer) -> Answer {
        var others: [DispatchSemaphore] = []
        let (answer, last) = withLock { state in
            let (answer, last) = (body(&state), sleepers.popLast())
            if wakingAll { swap(&others, &sleepers) }
            return (answer, last)
        }
        last?.signal()
        for sleeper in others { sleeper.signal() }
        return answer
    }

    /// Blocks the thread until `body` has an answer; it is asked at once, and whenever a change wakes this thread.
    func wait<Answer>(for body: (inout State) -> Answer?) -> Answer {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        while true {
            if let answer = body(&state) { return answer }
            let sleeper = spare.popLast() ?? DispatchSemaphore(value: 0)
            sleepers.append(sleeper)
            unsafe pthread_mutex_unlock(mutex)
            sleeper.wait()
            unsafe pthread_mutex_lock(mutex)
            spare.append(sleeper)
        }
    }
}

extension UnsafeMutablePointer<pthread_mutex_t> {
    /// A mutex that is unlocked; to be destroyed and freed by whoever has it.
    fileprivate static func mutex() -> Self {
        let mutex = Self.allocate(capacity: 1)
        unsafe mutex.initialize(to: pthread_mutex_t())
        let isPrepared = unsafe pthread_mutex_init(mutex, nil) == 0
        precondition(isPrepared, "a mutex of default attributes needs nothing that could be missing")
        return unsafe mutex
    }
}
