#if os(Linux)
    import CLedgerSystem
    import SystemPackage

    /// Does work at instants of the uptime: `timerfd_create(2)` and a thread that sleeps in between.
    ///
    /// The instants are those of ``SystemClock/uptime()``: what is due while the machine sleeps is done when it wakes.
    /// What is set stays set; there are as many entries as tasks that sleep, a few for each running download, and as
    /// such that were cancelled and are not due yet.
    final class Alarm: Sendable {
        private struct Entry: Sendable {
            let at: Duration
            let work: @Sendable () -> Void
        }

        private struct State: Sendable {
            /// What is due first stands last.
            var entries: [Entry] = []
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
                let place = state.entries.partitioningIndex { $0.at <= instant }
                state.entries.insert(Entry(at: instant, work: work), at: place)
                if place == state.entries.count - 1 { arm(instant) }
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
                    let place = state.entries.partitioningIndex { $0.at <= now }
                    defer { state.entries.removeSubrange(place...) }
                    if place > 0 { arm(state.entries[place - 1].at) }
                    return state.entries[place...].reversed()
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

    extension Array {
        /// The first place from which on `belongs` holds, in an array that is ordered by it.
        fileprivate func partitioningIndex(where belongs: (Element) -> Bool) -> Int {
            var (low, high) = (startIndex, endIndex)
            while low < high {
                let middle = low + (high - low) / 2
                if belongs(self[middle]) { high = middle } else { low = middle + 1 }
            }
            return low
        }
    }
#endif
