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

        /// Whether it is to be found out. What goes on record meanwhile is nothing that the next attempt would take for
        /// whole: it asks for the rest, and is judged.
        private(set) var isOpen = false
        /// Whether the place has said both: what it says of another file tells nothing.
        private var isOfNoUse = false
        /// Whether the file was begun anew for that: it may be changed still, and only one answer brings it now.
        private(set) var isAlone = false

        /// Takes in that a stream was told of another file; returns whether that is to be found out.
        mutating func open() -> Bool {
            guard !isOfNoUse else { return false }
            isOpen = true
            return true
        }

        /// The place still has what is held: so a stream was told that asked again, or the leading one.
        mutating func endInFavor() {
            guard isOpen else { return }
            (isOpen, isOfNoUse) = (false, true)
        }

        /// The place has another file, which is begun.
        mutating func endAgainst() {
            guard isOpen else { return }
            (isOpen, isAlone) = (false, true)
        }
    }

    /// Why a stream ends that was told of another file as often as it may ask.
    static let disputed = Failure(
        .entityChanged, "the origin says that the file has changed while it was fetched", isRetryable: true)

    /// Whether an answer to a stream says, against what the leading one said, that another file stands at the place of
    /// what is held, and that is to be found out. Where a hash that is on record will judge, it will; and what is of
    /// another type, as an error that calls itself a success is, tells of no file.
    mutating func disputes(_ response: TransferResponse, at place: ResourceURL, from source: Int) -> Bool {
        guard !isBound, let held, held.origin.validator != nil, source == held.source, source == leading,
            isPlace(place, of: held), isPackedAlike(response, held), held.isOther(by: response)
        else { return false }
        switch response.status {
        case 200, 206: guard response.mediaType == held.origin.mediaType else { return false }
        case 416: break
        default: return false
        }
        return dispute.open()
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
