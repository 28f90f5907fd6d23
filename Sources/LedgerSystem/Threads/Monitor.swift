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
/// (sourceware.org, bug 25847): a pool would stand still with work at hand. It is woken once the lock is free again, or
/// it would wake for the lock alone, and sleep once more.
///
/// `@unchecked Sendable`: `state`, `sleepers` and `spare` are touched only between lock and unlock of `mutex`; the
/// pointer never changes and is freed when nobody can reach it any more.
@safe final class Monitor<State: Sendable>: @unchecked Sendable {
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private var state: State
    /// Those of the threads that wait for a change and were not woken yet.
    private var sleepers: [Sleeper] = []
    /// Those that nobody sleeps on now.
    private var spare: [Sleeper] = []

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
        var others: [Sleeper] = []
        let (answer, last) = withLock { state in
            let (answer, last) = (body(&state), sleepers.popLast())
            if wakingAll { swap(&others, &sleepers) }
            return (answer, last)
        }
        last?.wake()
        for sleeper in others { sleeper.wake() }
        return answer
    }

    /// Blocks the thread until `body` has an answer; it is asked at once, and whenever a change wakes this thread.
    func wait<Answer>(for body: (inout State) -> Answer?) -> Answer {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        while true {
            if let answer = body(&state) { return answer }
            let sleeper = spare.popLast() ?? Sleeper()
            sleepers.append(sleeper)
            unsafe pthread_mutex_unlock(mutex)
            sleeper.sleep()
            unsafe pthread_mutex_lock(mutex)
            spare.append(sleeper)
        }
    }
}

/// Where one thread at a time sleeps until it is woken: one word, and what guards it.
///
/// Whoever wakes it holds on to it, and may signal when the next sleeps here already: that one looks at the word, and
/// sleeps on.
///
/// `@unchecked Sendable`: `isWoken` is touched only between lock and unlock of `mutex`; the pointers never change and
/// are freed when nobody can reach them any more.
@safe private final class Sleeper: @unchecked Sendable {
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let condition: UnsafeMutablePointer<pthread_cond_t>
    private var isWoken = false

    init() {
        unsafe mutex = .mutex()
        unsafe condition = .allocate(capacity: 1)
        unsafe condition.initialize(to: pthread_cond_t())
        let isPrepared = unsafe pthread_cond_init(condition, nil) == 0
        precondition(isPrepared, "a condition of default attributes needs nothing that could be missing")
    }

    deinit {
        unsafe pthread_cond_destroy(condition)
        unsafe condition.deallocate()
        unsafe pthread_mutex_destroy(mutex)
        unsafe mutex.deallocate()
    }

    /// Blocks the thread until ``wake()``, or not at all when that came before. `pthread_cond_wait(3)` may return
    /// sooner.
    func sleep() {
        unsafe pthread_mutex_lock(mutex)
        while !isWoken { unsafe pthread_cond_wait(condition, mutex) }
        isWoken = false
        unsafe pthread_mutex_unlock(mutex)
    }

    /// Wakes the thread that sleeps here, or is about to.
    func wake() {
        unsafe pthread_mutex_lock(mutex)
        isWoken = true
        unsafe pthread_mutex_unlock(mutex)
        unsafe pthread_cond_signal(condition)
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
