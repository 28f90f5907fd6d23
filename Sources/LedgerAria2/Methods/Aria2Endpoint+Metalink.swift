import LedgerAPI
import LedgerModel
import LedgerTransfer

extension Aria2Endpoint {
    /// Adds each file of a document as a download.
    func addMetalink(
        _ document: [UInt8], _ given: OptionValues, _ position: Int?
    ) async throws(Fault) -> WireValue {
        let metalink: Metalink
        do throws(XMLProblem) { metalink = try Metalink.parse(document) } catch {
            throw Fault("Could not parse Metalink XML document.")
        }
        var values = given.over(memory.global)
        // One GID, one name and one sum are not for several files.
        if metalink.files.count > 1 { for name in ["gid", "out", "checksum"] { values[name] = nil } }
        var gids: [WireValue] = []
        for (index, file) in metalink.files.enumerated() {
            var request = EnqueueRequest(
                url: file.urls[0].text, directory: configuration.directory, command: newCommand)
            request.mirrors = file.urls.dropFirst().map(\.text)
            try values.apply(to: &request)
            var own = values
            own["out"] = values["out"] ?? (file.directories + [file.name]).joined(separator: "/")
            try await place(&request, own)
            request.expectedLength = file.length
            request.checksum = request.checksum ?? file.digest.map { $0.algorithm.rawValue + "=" + $0.hex }
            request.pieces = file.pieces.map { pieces in
                EnqueueRequest.Pieces(
                    algorithm: pieces.algorithm.rawValue, length: pieces.pieceLength, hashes: pieces.bytes.hex)
            }
            let gid = try await enqueue(request, values, position.map { $0 + index })
            gids.append(.text(gid.description))
        }
        return .list(gids)
    }
}
