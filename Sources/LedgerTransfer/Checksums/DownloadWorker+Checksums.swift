import LedgerModel
import LedgerSystem

extension DownloadWorker {
    /// What the file must hash to: what the order says, else what the list of checksums says that the order names.
    ///
    /// The list is read at each attempt, since it changes with its files.
    /// - Throws: a ``Failure`` when the list is not to be had or does not name the file.
    func expectedDigest(of assignment: Assignment) async throws(Failure) -> Digest? {
        if let expected = assignment.order.expected { return expected }
        guard let list = assignment.checksumFile else { return nil }
        let documents = DocumentFetch(transport: transport, clock: clock, settings: settings)
        let bytes: [UInt8]
        do throws(Failure) {
            bytes = try await documents.fetch(
                assignment.asking(for: list, isLearned: false), bytesMax: ChecksumList.bytesMax
            ).bytes
        } catch {
            var failure = error
            failure.message = "the list of checksums: " + failure.message
            throw failure
        }
        let path = ResourceURL.percentDecoded(assignment.url.path)
        do throws(ChecksumList.Problem) {
            let name = assignment.order.destination.name
            return try await blocking.run { () throws(ChecksumList.Problem) in
                try ChecksumList(parsing: bytes).digest(of: path, named: name)
            }
        } catch {
            let words =
                switch error {
                case .empty: "holds no checksum"
                case .notListed(let name): "does not name '\(name)'"
                case .ambiguous(let name): "names several files '\(name)'"
                }
            throw Failure(
                .suspicious, "the list of checksums '\(list.url.redacted)' \(words); nothing was fetched",
                isRetryable: false)
        }
    }
}
