import HTTPTypes
import LedgerModel

extension WorkerStateMachine {
    /// What the head of an answer to a stream that runs beside the leading one means.
    enum RangeJudgement: Sendable {
        /// The bytes up to here belong to the entity that is held.
        case accept(end: UInt64)
        /// It is to be asked for elsewhere.
        case redirect(to: String?, status: Int, setting: (fields: [String], now: Timestamp))
        /// Redirects chose another place than the one that gave what is held: it is to be asked for by this way.
        case goBack(Approach)
        /// The place tells of another file than the leading stream was told of: it is to be asked again.
        case dispute
        /// Not from there: the leading stream goes on alone, or with other sources.
        case refuse(Failure)
    }

    /// Judges an answer to a request for `range` from `source`, strictly: only what is proven to belong to the entity
    /// that is held, or will be judged by a hash, is taken, and nothing that a stream beside the leading one is told
    /// makes anything start over by itself.
    /// - Parameter place: where it came from, after redirects.
    mutating func judge(
        _ response: TransferResponse, for range: Range<UInt64>, at place: ResourceURL, from source: Int,
        now: Timestamp
    ) -> RangeJudgement {
        guard let held, let length = held.origin.length else { return .refuse(Self.notSlice) }
        if response.isRedirect {
            return .redirect(to: response.location, status: response.status, setting: (response.cookiesSet, now))
        }
        if !mixesUnproven, source == held.source, !isPlace(place, of: held), let way = sources.all[source].way {
            return .goBack(way)
        }
        if disputes(response, at: place, from: source) { return .dispute }
        switch response.status {
        case 206:
            let mediaType = response.mediaType
            guard case .slice(let slice, let total?)? = response.contentRange, mediaType != "multipart/byteranges"
            else {
                return .refuse(Self.notSlice)
            }
            // The page of a portal may come under any status, and whatever its fields say.
            guard mediaType != "text/html" || held.origin.mediaType == mediaType else { return .refuse(Self.page) }
            guard total == length else { return other(source, length: total, where: length) }
            guard slice.lowerBound == range.lowerBound else { return .refuse(Self.notSlice) }
            guard belongs(response, at: place, from: source, to: held, trusting: false, now: now)
            else {
                guard source != held.source, mixesSources else { return .refuse(Self.notProven) }
                drop(source, Self.changed)
                return .refuse(Self.changed)
            }
            sources.learn(validator(of: response, now: now), of: source)
            return .accept(end: min(slice.upperBound, range.upperBound))
        case 200...299:
            if case .length(let total) = response.framing, total != length, isPackedAlike(response, held) {
                return other(source, length: total, where: length)
            }
            return .refuse(Self.notSlice)
        case 416:
            if case .unsatisfied(let total) = response.contentRange, total != length {
                return other(source, length: total, where: length)
            }
            return .refuse(statusFailure(response, now: now))
        default: return .refuse(statusFailure(response, now: now))
        }
    }

    /// Another length is another entity; of the source that the bytes came from, only a new request may say so. Which
    /// of the two is the file, a hash will tell.
    private mutating func other(_ source: Int, length: UInt64, where expected: UInt64) -> RangeJudgement {
        guard source != held?.source else { return .refuse(Self.notProven) }
        let words = "the source has a file of \(length) bytes where this one has \(expected)"
        let failure = Failure(.entityChanged, words, isRetryable: false)
        if unexpected(length: length) == nil { setAside(source, failure) } else { drop(source, failure) }
        return .refuse(failure)
    }

    static let notSlice = Failure(
        .protocolViolation, "the source does not serve the range that was asked for", isRetryable: true)
    private static let notProven = Failure(
        .entityChanged, "the source does not prove that its range belongs to the same file", isRetryable: true)
    private static let page = Failure(
        .suspicious, "the source answered with a web page where a range of a file is expected", isRetryable: true)
    private static let changed = Failure(
        .entityChanged, "the source's file changed while it was fetched", isRetryable: false)
}
