import LedgerAPI
import LedgerModel
import LedgerTransfer

extension Aria2Endpoint {
    /// Adds each file of a document as a download; none of them when one of them can not be.
    func addMetalink(
        _ document: [UInt8], _ given: OptionValues, _ position: Int?
    ) async throws(Fault) -> WireValue {
        let metalink: Metalink
        do throws(XMLProblem) { metalink = try Metalink.parse(document) } catch {
            throw Fault("Could not parse Metalink XML document.")
        }
        if let file = metalink.files.first(where: \.leads) {
            let name = file.statedPath.prefix(Self.shownNameCharactersMax)
            throw Fault(
                "Specification violation: Bad file@name, '\(name)' in line \(file.line) is no path below a directory: "
                    + "nothing of the Metalink is added.")
        }
        var values = given.over(memory.global)
        // One GID, one name and one sum are not for several files.
        if metalink.files.count > 1 { for name in ["gid", "out", "checksum"] { values[name] = nil } }
        var requests: [EnqueueRequest] = []
        for file in metalink.files { requests.append(try await request(for: file, values)) }
        var gids: [GID] = []
        var new: [DownloadID] = []
        do throws(Fault) {
            for (index, request) in requests.enumerated() {
                let added = try await enqueue(request, values, position.map { $0 + index })
                gids.append(added.gid)
                if !added.isJoined { new.append(added.id) }
            }
        } catch {
            // The queue may be full: its client learns no GID of those before, so they go too. What was there already
            // is not this client's alone.
            try await actTogether(.delete(.keep), on: new)
            throw error
        }
        return .list(gids.map { .text($0.description) })
    }

    /// How much of a name that is refused is told.
    private static let shownNameCharactersMax = 200

    private func request(for file: Metalink.File, _ values: OptionValues) async throws(Fault) -> EnqueueRequest {
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
        return request
    }
}

extension Metalink.File {
    /// Whether its path leads elsewhere than below the directory that it is read for, or would (RFC 5854, section
    /// 4.1.2.1). aria2 refuses a whole document for it.
    fileprivate var leads: Bool {
        let parts = statedPath.unicodeScalars.split(separator: "/", omittingEmptySubsequences: false)
        let isEmptyAtAnEnd = parts.first?.isEmpty ?? true || parts.last?.isEmpty ?? true
        return isEmptyAtAnEnd || parts.contains { [".", ".."].contains(String($0)) }
            || statedPath.unicodeScalars.contains { $0.value < 32 || $0.value == 127 }
    }
}
