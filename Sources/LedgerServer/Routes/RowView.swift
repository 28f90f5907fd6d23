import LedgerAPI
import LedgerCoding
import LedgerHolder
import LedgerModel

/// Rows as the API shows them: those of the command line, with the ranges that are durable, the media type, and the
/// last event that they take in: of two rows of a download, which may come in any order, that says which is newer.
struct RowView: Sendable {
    /// The most ranges that are shown of a download.
    static let rangesMax = 256

    /// The row of a download as it stood after an event.
    func json(_ row: DownloadRow, _ download: Download, at sequence: SequenceNumber) -> JSONValue {
        guard case .object(var object) = row.json else { return row.json }
        if !download.phase.isFinished {
            object["ranges"] = .array(
                download.durable.ranges.prefix(Self.rangesMax).map {
                    [JSONValue($0.lowerBound), JSONValue($0.upperBound)]
                })
        }
        object["mediaType"] = JSONValue(download.origin?.value.mediaType)
        object["seq"] = JSONValue(sequence.rawValue)
        return .object(object)
    }

    /// The rows of downloads as they are now; those that are no more are left out.
    func json(of ids: [DownloadID], in service: LedgerService) async throws(Problem) -> [JSONValue] {
        let (downloads, sequence) = try await service.read { state in
            (ids.compactMap { state.queue[$0] }, state.sequence)
        }
        let row = service.makeRow
        return downloads.map { json(row($0), $0, at: sequence) }
    }

    /// The rows of what was just asked for as they are now, each with whether the ledger had it already.
    func json(
        ofAsked asked: [(row: DownloadRow, joined: Bool)], in service: LedgerService
    ) async throws(Problem) -> [JSONValue] {
        let ids = asked.map(\.row.id)
        let (downloads, sequence) = try await service.read { state in (ids.map { state.queue[$0] }, state.sequence) }
        let row = service.makeRow
        return zip(asked, downloads).map { asked, download in
            let value = download.map { json(row($0), $0, at: sequence) } ?? asked.row.json
            guard case .object(var object) = value else { return value }
            object["joined"] = .bool(asked.joined)
            return .object(object)
        }
    }

    /// The row of one download as it is now.
    /// - Throws: a ``Problem`` `not-found`.
    func json(of id: DownloadID, in service: LedgerService) async throws(Problem) -> JSONValue {
        guard let row = try await json(of: [id], in: service).first else { throw Problem(.notFound(id)) }
        return row
    }
}
