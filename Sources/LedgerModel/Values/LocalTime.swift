/// What the clocks on the wall show, as far as the model needs it: how far they are ahead of UTC at an instant. It
/// comes in by the door, since it hangs on the time zone of the machine and on its summer time.
package struct LocalTime: Sendable {
    /// Seconds to add to UTC at an instant; negative west of Greenwich.
    package let secondsFromUTC: @Sendable (Timestamp) -> Int

    /// A local time that is told by this function.
    package init(secondsFromUTC: @escaping @Sendable (Timestamp) -> Int) { self.secondsFromUTC = secondsFromUTC }

    /// UTC itself.
    package static let utc = LocalTime { _ in 0 }

    /// How many seconds of the local day have passed, 0 to 86,399.
    func secondOfDay(at instant: Timestamp) -> Int64 {
        let seconds = instant.milliseconds.flooredDivision(by: 1000).quotient + Int64(secondsFromUTC(instant))
        return seconds.flooredDivision(by: 86_400).remainder
    }
}

extension DailyWindow {
    /// Whether it is open at an instant.
    package func isOpen(at instant: Timestamp, _ local: LocalTime) -> Bool {
        let minute = UInt16(local.secondOfDay(at: instant) / 60)
        return start < end ? (start..<end).contains(minute) : minute >= start || minute < end
    }

    /// The first instant, `now` or later, at which it is open. Hours that summer time leaves out are not waited for:
    /// what of the window remains that day opens it, or the next day does.
    package func opening(from now: Timestamp, _ local: LocalTime) -> Timestamp {
        if isOpen(at: now, local) { return now }
        let now = Timestamp(milliseconds: now.milliseconds - now.milliseconds.flooredDivision(by: 1000).remainder)
        let wait = (Int64(start) * 60 - local.secondOfDay(at: now)).flooredDivision(by: 86_400).remainder
        let expected = now.advanced(by: .seconds(wait))
        if local.secondsFromUTC(expected) == local.secondsFromUTC(now) { return expected }
        // The clocks are changed meanwhile: look at each minute, of three days at most.
        return (0..<3 * Int64(Self.minutesPerDay)).lazy.map { now.advanced(by: .seconds($0 * 60 + wait % 60)) }
            .first { isOpen(at: $0, local) } ?? expected
    }

    /// The first instant, `now` or later, at which it is not open.
    package func closing(from now: Timestamp, _ local: LocalTime) -> Timestamp {
        guard let rest = DailyWindow(start: end, end: start) else { preconditionFailure("a window is not empty") }
        return rest.opening(from: now, local)
    }

    /// When it opens or closes next.
    package func change(after now: Timestamp, _ local: LocalTime) -> Timestamp {
        isOpen(at: now, local) ? closing(from: now, local) : opening(from: now, local)
    }
}
