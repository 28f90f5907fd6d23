import LedgerAPI
package import LedgerCoding
package import LedgerEngine
import LedgerModel

/// A download's story, for people and for scripts.
package struct Explanation {
    /// One event in words.
    private struct Line {
        let event: Recorded
        let words: String
    }

    /// How many reports of progress in a row are told one by one; of a longer run the first and the last are.
    package static let progressMax = 8

    private let story: Story
    /// What the archive tells of the time before events that are gone.
    private let earlier: [Line]
    private let later: [Line]

    /// Tells a story.
    package init(_ story: Story) {
        self.story = story
        var teller = Storyteller(before: nil)
        earlier = story.events.prefix { $0.sequence <= story.base }.map {
            Line(event: $0, words: teller.words(for: $0))
        }
        teller = Storyteller(before: story.before)
        later = story.events.dropFirst(earlier.count).map { Line(event: $0, words: teller.words(for: $0)) }
    }

    /// One object for each event, `{"seq", "time", "type", "words"}`, and `{"end": ...}`.
    package var json: [JSONValue] { events + [end] }

    /// One object for each event: `{"seq", "time", "type", "words"}`.
    package var events: [JSONValue] {
        (earlier + later).map { line -> JSONValue in
            [
                "seq": JSONValue(line.event.sequence.rawValue), "time": .string(line.event.time.rfc3339),
                "type": .string(line.event.event.kind.name), "words": .string(line.words),
            ]
        }
    }

    /// The same for people.
    /// - Parameter isWhole: whether long runs of progress are told in full.
    package func text(isWhole: Bool) -> [String] {
        var text = rows(earlier, isWhole: isWhole)
        if story.base > .zero {
            let what = earlier.isEmpty ? "what came before" : "what came after that and before"
            text.append("\(what) event \(story.base.next) was compacted away" + beginning)
        }
        if story.isThinned { text.append("some of how its bytes came in was compacted away") }
        return text + rows(later, isWhole: isWhole) + [""] + Ending(story).lines
    }

    private func rows(_ lines: [Line], isWhole: Bool) -> [String] {
        var text: [String] = []
        var index = 0
        while index < lines.count {
            let run = isWhole ? 0 : lines[index...].prefix { $0.event.event.kind == .progressed }.count
            guard run > Self.progressMax else {
                text.append(row(lines[index]))
                index += 1
                continue
            }
            let last = lines[index + run - 1]
            text.append(row(lines[index]))
            text.append(
                "          ... \(Figures.counted(run - 2, "report")) of progress more up to event "
                    + "\(last.event.sequence) ('--verbose' tells them all)")
            text.append(row(last))
            index += run
        }
        return text
    }

    private var beginning: String {
        guard let before = story.before else { return "" }
        let row = DownloadRow(before)
        let words = "; it was \(row.state.rawValue) then, \(Figures.size(row.received)) received: \(row.url)"
        return TextWidth.printable(words)
    }

    /// `seq  moment  +since the first  words`.
    private func row(_ line: Line) -> String {
        let since = story.download.addedAt.duration(to: line.event.time)
        return [
            TextWidth.fitted(line.event.sequence.description, to: 8, rightAligned: true),
            Figures.moment(line.event.time), TextWidth.fitted("+" + Storyteller.span(since), to: 9, rightAligned: true),
            line.words,
        ].joined(separator: "  ")
    }

    private var end: JSONValue {
        let row = DownloadRow(story.download)
        let ending = Ending(story)
        return [
            "end": [
                "id": JSONValue(row.id.rawValue), "state": .string(row.state.rawValue),
                "seq": JSONValue(story.end.rawValue),
                "path": .string(row.path), "partPath": JSONValue(ending.partPath), "size": JSONValue(row.size),
                "received": JSONValue(row.received), "digest": JSONValue(row.digest),
                "missing": ending.missing.map {
                    .array($0.map { [JSONValue($0.lowerBound), JSONValue($0.upperBound)] })
                }
                    ?? .null,
                "compactedThrough": story.base > .zero ? JSONValue(story.base.rawValue) : .null,
                "words": .string(ending.words.joined(separator: "; ")),
            ]
        ]
    }
}
