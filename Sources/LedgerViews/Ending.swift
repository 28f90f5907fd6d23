import LedgerAPI
package import LedgerEngine
import LedgerModel

/// Where a story leaves the bytes of its download.
package struct Ending {
    private let story: Story
    private var download: Download { story.download }

    /// The end of a story.
    package init(_ story: Story) { self.story = story }

    /// Where the part file stands; nil when no bytes are in one.
    package var partPath: String? {
        guard !download.phase.isFinished, download.phase != .deleted, !download.durable.isEmpty else { return nil }
        return story.partPath
    }

    /// The ranges that are still to be fetched; none of a finished download, nil when the length is not known.
    package var missing: [Range<UInt64>]? {
        guard download.file == nil else { return [] }
        return download.origin?.value.length.map { download.durable.gaps(upTo: $0) }
    }

    /// The state, where the bytes are and their digest, or what is missing of them.
    package var words: [String] {
        let state = DownloadState(download.phase, isRunning: false)
        return (["now, after event \(story.end): \(state.rawValue)"] + whereabouts + failing).map(TextWidth.printable)
    }

    /// The same as lines for people.
    package var lines: [String] { words.prefix(1) + words.dropFirst().map { "  " + $0 } }

    private var whereabouts: [String] {
        switch download.phase {
        case .completed: return file("the file stands at")
        case .missing: return file("the file is gone; it stood at") + ["'ledger retry \(download.id)' fetches it anew"]
        case .altered:
            return file("another file stands where this one did:") + ["'ledger retry \(download.id)' fetches it anew"]
        case .publishing: return file("whole, and about to stand at")
        case .deleted: return deleted
        case .queued, .waiting, .paused, .failed, .cancelled:
            return (download.standing == nil ? [] : file("the file of before stands at")) + part
        }
    }

    private func file(_ words: String) -> [String] {
        guard let file = download.shownFile else { return [] }
        return ["\(words) \(file.path)", "\(Storyteller.bytes(file.length)), \(file.sha256)"]
    }

    private var deleted: [String] {
        let sum = download.shownFile.map { ["\(Storyteller.bytes($0.length)), \($0.sha256)"] } ?? []
        guard let file = download.shownFile else { return ["there was no finished file"] }
        switch download.deletion?.value {
        case .trash(let path)?: return ["the file is in the trash: \(path)"] + sum
        case .keepFile?: return ["the file was left at \(file.path)"] + sum
        case .expired?:
            return ["the file left the trash for good (its time or room was over); it stood at \(file.path)"] + sum
        case .evicted?:
            return ["the file was removed, for it was more than its group may hold; it stood at \(file.path)"] + sum
        case .purge?: return ["the file was removed for good; it stood at \(file.path)"] + sum
        case nil: return sum
        }
    }

    private var part: [String] {
        guard let partPath else { return ["nothing of it is held"] }
        let length = download.origin?.value.length
        var lines = [
            "\(Figures.size(download.durable.count)) of \(length.map(Figures.size) ?? "what is to come") in \(partPath)"
        ]
        if let missing, !missing.isEmpty { lines.append("missing: " + Storyteller.list(missing)) }
        return lines
    }

    private var failing: [String] { download.failure.map { ["last failure: " + Storyteller.words($0.value)] } ?? [] }
}
