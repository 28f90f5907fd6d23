import LedgerAPI
import LedgerCoding
import LedgerEngine
import LedgerHolder
import LedgerModel
import LedgerTransfer

extension Aria2Endpoint {
    /// The methods that add downloads.
    func add(_ method: Method, _ parameters: Parameters) async throws(Fault) -> WireValue {
        switch method {
        case .addURI:
            let urls = try parameters.texts(0)
            let (options, position) = (try parameters.optionalObject(1), try parameters.optionalNumber(2))
            guard !urls.isEmpty else { throw Fault("URI is not provided.") }
            let given = try OptionValues(options ?? [:], for: .added)
            return try await addURLs(urls, given, try Self.position(position))
        case .addMetalink:
            let document = try parameters.text(0)
            let given = try OptionValues(try parameters.optionalObject(1) ?? [:], for: .added)
            let position = try Self.position(try parameters.optionalNumber(2))
            return try await addMetalink(bytes(ofBase64: document.utf8) ?? [], given, position)
        default:
            let torrent = try parameters.text(0)
            _ = try parameters.optionalTexts(1)
            let given = try OptionValues(try parameters.optionalObject(2) ?? [:], for: .added)
            _ = try Self.position(try parameters.optionalNumber(3))
            let content = bytes(ofBase64: torrent.utf8) ?? []
            guard content.first == UInt8(ascii: "d"), content.last == UInt8(ascii: "e") else {
                throw Fault("Bencode decoding failed")
            }
            return .text(try await addForeign(.torrent, given).description)
        }
    }

    private static func position(_ number: Int64?) throws(Fault) -> Int? {
        guard let number else { return nil }
        guard number >= 0 else { throw .badPosition }
        return Int(clamping: number)
    }

    private func addURLs(
        _ texts: [String], _ given: OptionValues, _ position: Int?
    ) async throws(Fault) -> WireValue {
        let urls = texts.filter { Self.url($0) != nil }
        guard !urls.isEmpty else {
            guard texts.contains(where: { $0.lowercased().hasPrefix("magnet:") }) else { throw .noSource }
            return .text(try await addForeign(.magnet, given).description)
        }
        let values = given.over(memory.global)
        var request = EnqueueRequest(url: urls[0], directory: configuration.directory, command: newCommand)
        request.mirrors = Array(urls.dropFirst())
        try values.apply(to: &request)
        try await place(&request, values)
        return .text(try await enqueue(request, values, position).gid.description)
    }

    /// Says where a file goes, if files of clients may go there.
    func place(_ request: inout EnqueueRequest, _ values: OptionValues) async throws(Fault) {
        // aria2 reads a name with a slash before it below the directory too.
        let output = values["out"].map { String($0.drop { $0 == "/" }) }.flatMap { $0.isEmpty ? nil : $0 }
        do throws(Problem) {
            (request.directory, request.name) = try await configuration.confine(
                values["dir"] ?? configuration.directory, output)
        } catch {
            throw .option(output == nil ? "dir" : "out")
        }
    }

    /// Enqueues a request under the GID that its client chose, if it chose one.
    func enqueue(
        _ plain: EnqueueRequest, _ values: OptionValues, _ position: Int?
    ) async throws(Fault) -> (gid: GID, id: DownloadID, isJoined: Bool) {
        let (row, isJoined) = try await under(values["gid"]) { gid throws(Fault) in
            var request = plain
            request.identifier = gid?.description
            configuration.prepare(&request)
            try await takeOwn(&request)
            // With a GID of its own it is a download of its own.
            request.ifModified = values.flag("conditional-get") && gid == nil
            return try await enqueue(request)
        }
        memory.remember(values, of: row.id)
        if let position { try await move(row.id, to: position) }
        return (scheme.gid(of: row.id, identifier: row.identifier), row.id, isJoined)
    }

    /// Adds something under the GID that its client chose, if it chose one.
    /// - Throws: aria2's fault when it is none, or when a download or a result has it, or is about to.
    func under<Value: Sendable>(
        _ chosen: String?, _ add: (GID?) async throws(Fault) -> Value
    ) async throws(Fault) -> Value {
        guard let chosen else { return try await add(nil) }
        guard let gid = GID(chosen: chosen), self.chosen.now({ $0.reserve(gid) }) else { throw .noSource }
        defer { self.chosen.now { $0.release(gid) } }
        guard stopped.now({ $0.foreign[gid] }) == nil, try await download(gid) == nil else { throw .noSource }
        return try await add(gid)
    }

    /// Enqueues as aria2 does: each addition is a download, also of what there is already.
    private func enqueue(_ plain: EnqueueRequest) async throws(Fault) -> (DownloadRow, isJoined: Bool) {
        var request = plain
        request.again = !request.ifModified
        let answers = try await asked { [request] () throws(Problem) in try await client.enqueue([request]) }
        switch answers.first {
        case .accepted(let row, let isJoined)?: return (row, isJoined)
        case .refused(let problem)?: throw Fault(problem)
        case nil: throw Fault(Problem(.internal, "the ledger gave no answer"))
        }
    }
}
