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
/// `@unchecked Sendable`: `state` is touched only between lock and unlock of `mutex`; the two pointers never change and
/// are freed when nobody can reach them any more.
@safe final class Monitor<State: Sendable>: @unchecked Sendable {
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let condition: UnsafeMutablePointer<pthread_cond_t>
    private var state: State

    init(_ state: State) {
        self.state = state
        unsafe mutex = .allocate(capacity: 1)
        unsafe condition = .allocate(capacity: 1)
        unsafe mutex.initialize(to: pthread_mutex_t())
        unsafe condition.initialize(to: pthread_cond_t())
        let prepared = unsafe pthread_mutex_init(mutex, nil) == 0 && pthread_cond_init(condition, nil) == 0
        precondition(prepared, "a mutex of default attributes needs nothing that could be missing")
    }

    deinit {
        unsafe pthread_cond_destroy(condition)
        unsafe pthread_mutex_destroy(mutex)
        unsafe condition.deallocate()
        unsafe mutex.deallocate()
    }

    /// Works on the state, alone.
    func withLock<Answer>(_ body: (inout State) -> Answer) -> Answer {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        return body(&state)
    }

    /// Works on the state and wakes one thread that waits for it, or all of them.
    func change<Answer>(wakingAll: Bool = false, _ body: (inout State) -> Answer) -> Answer {
        let answer = withLock(body)
        if wakingAll { unsafe pthread_cond_broadcast(condition) } else { unsafe pthread_cond_signal(condition) }
        return answer
    }

    /// Blocks the thread until `body` has an answer; it is asked at once and after each change.
    func wait<Answer>(for body: (inout State) -> Answer?) -> Answer {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        while true {
            if let answer = body(&state) { return answer }
            unsafe pthread_cond_wait(condition, mutex)
        }
    }
}
