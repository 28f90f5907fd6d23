#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// A value behind a lock, and threads that sleep until it changes: `pthread_mutex_t` and `pthread_cond_t`, because
/// Swift's `Mutex` has nothing to wait on.
///
/// Each thread sleeps on a condition of its own. Of one that several wait for, glibc before 2.41 may lose a wake-up
/// (sourceware.org, bug 25847): a pool would stand still with work at hand.
///
/// `@unchecked Sendable`: `state` and `sleepers` are touched only between lock and unlock of `mutex`; the pointer never
/// changes and is freed when nobody can reach it any more.
@safe final class Monitor<State: Sendable>: @unchecked Sendable {
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private var state: State
    /// The conditions of the threads that wait for a change and were not woken yet.
    private var sleepers: [UnsafeMutablePointer<pthread_cond_t>] = unsafe []

    init(_ state: State) {
        self.state = state
        unsafe mutex = .allocate(capacity: 1)
        unsafe mutex.initialize(to: pthread_mutex_t())
        let isPrepared = unsafe pthread_mutex_init(mutex, nil) == 0
        precondition(isPrepared, "a mutex of default attributes needs nothing that could be missing")
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
        withLock { state in
            let answer = body(&state)
            // Under the lock: who is no longer among the sleepers may take its condition away.
            while let sleeper = unsafe sleepers.popLast() {
                unsafe pthread_cond_signal(sleeper)
                if !wakingAll { break }
            }
            return answer
        }
    }

    /// Blocks the thread until `body` has an answer; it is asked at once, and whenever a change wakes this thread.
    func wait<Answer>(for body: (inout State) -> Answer?) -> Answer {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        while true {
            if let answer = body(&state) { return answer }
            sleep()
        }
    }

    /// Lets go of the lock until somebody wakes this thread. `pthread_cond_wait(3)` may return sooner.
    private func sleep() {
        var condition = pthread_cond_t()
        unsafe withUnsafeMutablePointer(to: &condition) { condition in
            let isPrepared = unsafe pthread_cond_init(condition, nil) == 0
            precondition(isPrepared, "a condition of default attributes needs nothing that could be missing")
            unsafe sleepers.append(condition)
            while unsafe sleepers.contains(condition) { unsafe pthread_cond_wait(condition, mutex) }
            unsafe pthread_cond_destroy(condition)
        }
    }
}
