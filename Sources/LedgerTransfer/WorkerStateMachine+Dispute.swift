import HTTPTypes
import LedgerModel

extension WorkerStateMachine {
    /// What is made of it that the place which gave what is held tells a stream beside the leading one of another file.
    ///
    /// It may have been changed where it stands, and what the leading answer brings since is of the new one: that no
    /// validator of its head tells. Or several machines answer under one name, and each calls the same file otherwise.
    struct Dispute: Sendable {
        /// How often a stream asks that is told of another file, before the leading one asks: with several machines
        /// behind a name, each time another one may answer.
        static let questionsMax = 4

        /// Of how many other files it is remembered that the place has said since that it still has what is held: of
        /// more, streams are no longer heard.
        static let explainedMax = 16

        /// Whether it is to be found out. What goes on record meanwhile is nothing that the next attempt would take for
        /// whole: it asks for the rest, and is judged.
        private(set) var isOpen = false
        /// Whether the file was begun anew for that: it may be changed still, and only one answer brings it now.
        private(set) var isAlone = false
        /// What streams were told since it is open.
        private var told: Set<String> = []
        /// What they were told before the place had what is held all the same.
        private var explained: Set<String> = []

        /// Takes in that a stream was told of another file, by these words; returns whether that is to be found out.
        mutating func open(by words: String) -> Bool {
            guard !explained.contains(words), explained.count < Self.explainedMax else { return false }
            if told.count < Self.explainedMax { told.insert(words) }
            isOpen = true
            return true
        }

        /// The place still has what is held: so a stream was told that asked since, or the leading one.
        mutating func endInFavor() {
            guard isOpen else { return }
            explained.formUnion(told)
            (isOpen, told) = (false, [])
        }

        /// A file is begun, another one where that was to be found out.
        mutating func begin() {
            isAlone = isAlone || isOpen
            (isOpen, told, explained) = (false, [], [])
        }
    }

    /// Why a stream ends that was told of another file as often as it may ask.
    static let disputed = Failure(
        .entityChanged, "the origin says that the file has changed while it was fetched", isRetryable: true)

    /// Whether an answer to a stream says, against what the leading one said, that another file stands at the place of
    /// what is held, and that is to be found out. Where hashes of pieces will judge, or a hash of what several sources
    /// give, they will; and what is of another type, as an error that calls itself a success is, tells of no file.
    mutating func disputes(_ response: TransferResponse, at place: ResourceURL, from source: Int) -> Bool {
        guard pieceChecks == nil, !mixesSources || sources.usable.count == 1, let held, held.origin.validator != nil,
            source == held.source, source == leading, isPlace(place, of: held), isOtherFile(response, held)
        else { return false }
        switch response.status {
        case 200, 206: guard response.mediaType == held.origin.mediaType else { return false }
        case 416: break
        default: return false
        }
        let fields = response.fields
        let words = [fields.value(of: .eTag), fields.value(of: .lastModified), response.statedLength.map(String.init)]
        return dispute.open(by: words.map { $0 ?? "" }.joined(separator: "\n"))
    }

    /// Whether the place has another file by what it states. Under the same date the tag tells nothing, for each of
    /// several machines may have its own; of what is packed otherwise, tag and length are others, and the date tells.
    private func isOtherFile(_ response: TransferResponse, _ held: Held) -> Bool {
        guard isPackedAlike(response, held) else {
            let hasDates = held.origin.stated.lastModified != nil && response.fields.value(of: .lastModified) != nil
            return hasDates && !held.origin.isOfSameDate(response.fields)
        }
        return held.isOtherBeyondTag(by: response)
    }

    /// Asks for the rest of what is held, or its last byte, as after a cut: what is answered is judged.
    mutating func settleDispute() -> Action {
        guard let held, let length = held.origin.length, length > 0, canResume else {
            return startOver(Self.disputed.message)
        }
        let isWhole = held.bytes.prefixCount >= length
        return ask(for: RangePlan(held: isWhole ? ByteRangeSet(0..<length - 1) : held.bytes, length: length))
    }
}
