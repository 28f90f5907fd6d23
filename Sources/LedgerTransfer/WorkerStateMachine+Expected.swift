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
        if let expected = options.expectedLength, let length = origin.length, length != expected {
            return Failure(
                .entityChanged, "the origin has a file of \(length) bytes where \(expected) are expected",
                isRetryable: false)
        }
        return nil
    }

    /// Whether the order allows the file to be this long.
    func allows(_ length: UInt64) -> Bool {
        let expected = assignment.order.options.value.expectedLength ?? length
        return length == expected && assignment.order.pieces?.value.fits(length) ?? true
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
