#if os(Linux)
    import CLedgerSystem
    import HeapModule
    import SystemPackage

    /// Does work at instants of the uptime: `timerfd_create(2)` and a thread that sleeps in between.
    ///
    /// The instants are those of ``SystemClock/uptime()``: what is due while the machine sleeps is done when it wakes.
    /// What is set stays set; there are as many entries as tasks that sleep, a few for each running download, and as
    /// such that were cancelled and are not due yet.
    final class Alarm: Sendable {
        private struct Entry: Comparable, Sendable {
            let at: Duration
            /// How many were set before it: of what is due at one instant, the first comes first.
            let number: UInt64
            let work: @Sendable () -> Void

            static func < (one: Self, other: Self) -> Bool { (one.at, one.number) < (other.at, other.number) }
            static func == (one: Self, other: Self) -> Bool { one.number == other.number }
        }

        private struct State: Sendable {
            var entries = Heap<Entry>()
            var count: UInt64 = 0
            var isRunning = false
        }

        private let timer: CInt
        private let monitor = Monitor(State())

        /// An alarm without a thread: that starts with the first instant. Without a timer no task that sleeps would
        /// ever wake, and nobody could be told.
        init() {
            timer = ledger_timer()
            precondition(timer >= 0, "the kernel gives no timer: \(currentErrno())")
        }

        /// Does `work` on the alarm's thread at `instant`, or at once when that has passed: it should hand over what
        /// takes long.
        func set(for instant: Duration, _ work: @escaping @Sendable () -> Void) {
            let mustStart = monitor.withLock { state in
                if state.entries.min.map({ instant < $0.at }) ?? true { arm(instant) }
                state.entries.insert(Entry(at: instant, number: state.count, work: work))
                state.count += 1
                defer { state.isRunning = true }
                return !state.isRunning
            }
            guard mustStart else { return }
            do { try SystemThread.start("ledger-alarm") { self.run() } } catch {
                preconditionFailure("the thread for timers can not be started: \(error)")
            }
        }

        private func run() -> Never {
            while true {
                ledger_timer_wait(timer)
                let now = SystemClock().uptime()
                let due = monitor.withLock { state in
                    var due: [Entry] = []
                    while let first = state.entries.min, first.at <= now { due.append(state.entries.removeMin()) }
                    if let next = state.entries.min { arm(next.at) }
                    return due
                }
                for entry in due { entry.work() }
            }
        }

        private func arm(_ instant: Duration) {
            // Zero would stop the timer.
            let (seconds, attoseconds) = max(instant, .nanoseconds(1)).components
            let isSet = ledger_timer_set(timer, seconds, attoseconds / 1_000_000_000) == 0
            precondition(isSet, "a timer takes any instant: \(currentErrno())")
        }
    }
#endif
