extension Queue {
    /// The downloads that wait for another attempt until later than an instant up to which one may be put off. The
    /// clock was ahead when that was recorded, and was put right since: they would wait for as long as it was ahead.
    package func retried(after latest: Timestamp) -> [DownloadID] {
        let beyond = waiting.firstIndex(after: WaitingKey(until: latest, id: DownloadID(.max)))
        return waiting[beyond...].compactMap { key in
            guard let download = downloads[key.id], download.failure != nil,
                download.order.options.value.notBefore.map({ $0 < key.until }) ?? true
            else { return nil }
            return key.id
        }
    }
}
