import HTTPTypes
import LedgerModel

extension WorkerStateMachine {
    /// What an order says of its file and an answer contradicts; nil when nothing does.
    func unexpected(_ origin: Origin) -> Failure? {
        let options = assignment.order.options.value
        if let range = options.expectedType, !options.allows(origin.mediaType) {
            let type = origin.mediaType.map { "'\($0)'" } ?? "no media type"
            // A page in its place may be that of a login or a captive portal, which pass.
            return Failure(
                .suspicious, "the origin states \(type) where '\(range)' is expected; nothing was overwritten",
                isRetryable: origin.mediaType == "text/html", status: 200)
        }
        return origin.length.flatMap(unexpected)
    }

    /// What an order says of the length of its file, where that is not so; nil when it is, or it says nothing.
    func unexpected(length: UInt64) -> Failure? {
        let words: String
        if let expected = assignment.order.options.value.expectedLength, length != expected {
            words = "\(expected)"
        } else if let pieces = boundPieces, !pieces.fits(length) {
            words = "\(pieces.count) pieces of \(pieces.pieceLength)"
        } else {
            return nil
        }
        return Failure(
            .entityChanged, "the origin has a file of \(length) bytes where \(words) are expected", isRetryable: false)
    }

    /// The order's pieces, where they say what is right: a digest of the whole says more.
    private var boundPieces: PieceHashes? {
        assignment.order.expected == nil ? assignment.order.pieces?.value : nil
    }

    /// Where a body of unknown length is cut off, in bytes: behind what the order allows, so that it shows; nil where
    /// the order says nothing of it.
    var endMax: UInt64? {
        let known = assignment.order.options.value.expectedLength ?? boundPieces?.lengthMax
        return known.map { min($0, FileIdentity.lengthMax) + 1 }
    }

    /// Whether the body of an answer is handed over as what it unpacks to: its length is not the file's then.
    func isUnpacked(_ response: TransferResponse) -> Bool {
        guard assignment.order.options.value.decompresses else { return false }
        switch ContentCoding(response.fields) {
        case .gzip, .deflate: return true
        case .identity, .other: return false
        }
    }

    /// Why a body that is to be unpacked can not be; nil when it can, or need not.
    func unpackable(_ response: TransferResponse) -> Failure? {
        guard assignment.order.options.value.decompresses, case .other(let words) = ContentCoding(response.fields)
        else { return nil }
        return Failure(
            .unsupported,
            "the origin sends the file packed by '\(words)', which can not be unpacked here; without '--decompress' "
                + "it is kept as it is served", isRetryable: false)
    }
}
