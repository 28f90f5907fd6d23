import LedgerAPI
import LedgerModel

/// A download as aria2's clients see it.
struct Item: Sendable {
    /// Where it is on its way, in aria2's words.
    enum Status: String, Sendable {
        case active
        case waiting
        case paused
        case complete
        case error
        case removed
    }

    /// The length of a piece: what aria2's bitfields count in.
    static let pieceLength: UInt64 = 1 << 20

    let gid: GID
    let download: Download
    let row: DownloadRow
    let status: Status

    /// - Parameter isActive: whether a worker has it.
    init(_ gid: GID, _ download: Download, _ row: DownloadRow, isActive: Bool) {
        self.gid = gid
        self.download = download
        self.row = row
        status =
            switch download.phase {
            case _ where isActive: .active
            case .queued, .waiting: .waiting
            case .publishing: .active
            case .paused: .paused
            case .completed: .complete
            case .missing, .altered, .failed: .error
            // What is deleted is on no list of aria2's.
            case .cancelled, .deleted: .removed
            }
    }

    /// Whether it has ended: aria2 has a result of it, and no download any longer.
    var isStopped: Bool {
        switch status {
        case .active, .waiting, .paused: false
        case .complete, .error, .removed: true
        }
    }

    var totalLength: UInt64 { row.size ?? 0 }

    var pieceCount: UInt64 { totalLength / Self.pieceLength + (totalLength % Self.pieceLength == 0 ? 0 : 1) }

    /// Where the file stands or will stand; empty as long as nobody knows its name.
    var path: String {
        let isNamed = download.order.destination.name != nil || download.origin != nil || download.shownFile != nil
        return isNamed ? row.path : ""
    }

    /// The URLs, those in use first. They are shown as they may be written down: without tokens and passwords.
    var sources: [(url: String, isUsed: Bool)] {
        let isUsed = download.startedAt != nil || status == .active || isStopped
        return [(download.order.url.text, isUsed)] + download.order.options.value.mirrors.map { ($0.text, false) }
    }

    /// Which pieces are whole on the disk.
    private var pieces: ByteRangeSet {
        if row.digest != nil, status == .complete { return ByteRangeSet(0..<totalLength) }
        return download.durable
    }

    /// The pieces as bits, the first the highest, in hexadecimal; nil before anything is known of the file, and for
    /// more than ``piecesShownMax``: what an origin says of its length costs it nothing.
    var bitfield: String? {
        guard totalLength > 0, pieceCount <= Self.piecesShownMax, download.origin != nil || download.shownFile != nil
        else { return nil }
        var bits = [UInt8](repeating: 0, count: Int((pieceCount + 7) / 8))
        for index in wholePieces.joined() { bits[Int(index / 8)] |= 0x80 >> UInt8(index % 8) }
        return bits.hex
    }

    /// A file of 4 TiB has so many.
    private static let piecesShownMax: UInt64 = 4 << 20

    /// The bytes of whole pieces: what aria2 counts of a file, other than of its download.
    var wholePieceBytes: UInt64 {
        wholePieces.reduce(0) { bytes, pieces in
            bytes + min(pieces.upperBound * Self.pieceLength, totalLength) - pieces.lowerBound * Self.pieceLength
        }
    }

    private var wholePieces: [Range<UInt64>] {
        pieces.ranges.compactMap { range in
            let first = (range.lowerBound + Self.pieceLength - 1) / Self.pieceLength
            let isToEnd = range.upperBound >= totalLength
            let end = isToEnd ? pieceCount : range.upperBound / Self.pieceLength
            return first < end ? first..<min(end, pieceCount) : nil
        }
    }
}
