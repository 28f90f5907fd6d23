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
            /// Made with the first instant: before that a program has not seen to its standard streams yet, and a
            /// closed one's number would be the timer's.
            var timer: CInt?
        }

        private let monitor = Monitor(State())

        /// Does `work` on the alarm's thread at `instant`, or at once when that has passed: it should hand over what
        /// takes long.
        func set(for instant: Duration, _ work: @escaping @Sendable () -> Void) {
            let started: CInt? = monitor.withLock { state in
                let timer = state.timer ?? Self.timer()
                if state.entries.min.map({ instant < $0.at }) ?? true { Self.arm(timer, instant) }
                state.entries.insert(Entry(at: instant, number: state.count, work: work))
                state.count += 1
                defer { state.timer = timer }
                return state.timer == nil ? timer : nil
            }
            guard let timer = started else { return }
            let name = "ledger-alarm"
            do throws(FileError) { try SystemThread.start(name) { self.run(timer) } } catch {
                SystemThread.end(forWantOf: name, error)
            }
        }

        /// Without one no task that sleeps would ever wake, and nobody could be told.
        private static func timer() -> CInt {
            let timer = ledger_timer()
            precondition(timer >= 0, "the kernel gives no timer: \(currentErrno())")
            return timer
        }

        private func run(_ timer: CInt) -> Never {
            while true {
                precondition(ledger_timer_wait(timer) == 0, "a timer can be waited for: \(currentErrno())")
                let now = SystemClock().uptime()
                let due = monitor.withLock { state in
                    var due: [Entry] = []
                    while let first = state.entries.min, first.at <= now { due.append(state.entries.removeMin()) }
                    if let next = state.entries.min { Self.arm(timer, next.at) }
                    return due
                }
                for entry in due { entry.work() }
            }
        }

        private static func arm(_ timer: CInt, _ instant: Duration) {
            // Zero would stop the timer, and beyond the other end nothing can be told.
            let (seconds, attoseconds) = min(max(instant, .nanoseconds(1)), .seconds(Int64.max)).components
            let isSet = ledger_timer_set(timer, seconds, attoseconds / 1_000_000_000) == 0
            precondition(isSet, "a timer takes any instant: \(currentErrno())")
        }
    }
#endif
