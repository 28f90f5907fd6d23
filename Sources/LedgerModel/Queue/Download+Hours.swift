extension Download {
    /// The instant at which the hours open that this download waits for; nil when it is due only after that, or does
    /// not wait to run. The hours are its own, and those of all downloads.
    package func opening(under window: DailyWindow?, at now: Timestamp, _ local: LocalTime) -> Timestamp? {
        let own = order.options.value.window
        guard own != nil || window != nil else { return nil }
        let due: Timestamp
        switch phase {
        case .queued: due = now
        case .waiting(let until): due = max(now, until)
        case .paused, .publishing, .completed, .missing, .altered, .failed, .cancelled, .deleted: return nil
        }
        let windows = [own, window].compactMap(\.self)
        // Each opens at least once in the other, or they never open together.
        var instant = due
        for _ in windows { for window in windows { instant = window.opening(from: instant, local) } }
        return instant > due ? instant : nil
    }
}
