import LedgerModel

extension WorkerStateMachine {
    /// The most mirrors that are taken from one answer.
    static let mirrorsMax = 32
    /// A description is fetched of files longer than this, in bytes: for less it is not worth a request.
    static let describedBytesMin: UInt64 = 4 << 20

    /// What the whole must hash to: by the user's word, else by the origin's own.
    var expected: Digest? { assignment.order.expected ?? held?.origin.digest }

    /// Checks of the pieces of what is held, none made yet; nil when nobody stated hashes that fit it.
    var pieceChecks: PieceChecks? {
        guard let pieces, let length = held?.origin.length else { return nil }
        return PieceChecks(pieces, length: length)
    }

    /// Adds to an origin what its answer states beside the entity: a digest of it (RFC 9530, RFC 3230), and mirrors
    /// (RFC 6249). Mirrors are nothing without a digest: it alone tells whether their bytes are the same.
    func addStated(by response: TransferResponse, to origin: inout Origin) {
        // What is unpacked on the way has other bytes than the digest is of.
        if !isUnpacked(response) { origin.digest = StatedDigest.strongest(in: response.fields) }
        guard origin.digest != nil || assignment.order.expected != nil || pieces != nil else { return }
        let duplicates = links(of: response).filter { $0.relations.contains("duplicate") }
        let ordered = duplicates.enumerated().sorted {
            ($0.element.priority, $0.offset) < ($1.element.priority, $1.offset)
        }
        for (_, link) in ordered where origin.mirrors.count < Self.mirrorsMax {
            // One that may not be written down could not be asked in the next attempt.
            guard let url = resolve(link), url.redacted == url, !origin.mirrors.contains(url) else { continue }
            origin.mirrors.append(url)
        }
    }

    /// Whether an answer states another digest than the one that was stated when the part was begun, or is expected.
    func statesOtherDigest(_ response: TransferResponse) -> Bool {
        guard let expected = held?.origin.digest ?? assignment.order.expected,
            let stated = StatedDigest.strongest(in: response.fields)
        else { return false }
        return stated.algorithm == expected.algorithm && stated != expected
    }

    /// Where the answer says that a Metalink of a large entity stands (RFC 6249, section 6); nil when nothing more is
    /// to be learned of it.
    func description(in response: TransferResponse) -> ResourceURL? {
        guard pieces == nil, let length = held?.origin.length, length > Self.describedBytesMin else { return nil }
        let link = links(of: response).first {
            $0.relations.contains("describedby") && $0.mediaType.map(Metalink.isMetalink) ?? false
        }
        return link.flatMap(resolve)
    }

    /// Takes over what a Metalink of the entity says, if it is about the entity that is held.
    mutating func learn(_ metalink: Metalink) {
        guard let origin = held?.origin else { return }
        let matches = metalink.files.filter { file in
            let isSame = file.digest.map { $0.algorithm != expected?.algorithm || $0 == expected } ?? true
            return file.length == origin.length && isSame
        }
        guard matches.count == 1, let file = matches.first else { return }
        pieces = file.pieces
        if pieceChecks != nil || expected != nil {
            sources.add(file.urls.map(\.url).filter { $0.redacted == $0 && mayLead(to: $0) })
        }
    }

    private func links(of response: TransferResponse) -> [Link] { Link.links(in: response.fields) }

    private func resolve(_ link: Link) -> ResourceURL? {
        do throws(URLProblem) {
            let url = try approach.url.resolving(link.target).url
            return url != approach.url && mayLead(to: url) ? url : nil
        } catch { return nil }
    }

    /// An answer over https leads no one to http, unless that was allowed, and none into a private network.
    private func mayLead(to url: ResourceURL) -> Bool {
        guard approach.mayLead(into: url) else { return false }
        return url.isSecure || !approach.url.isSecure || assignment.order.options.value.allowsDowngrade
    }

    /// Learns of an accepted answer where else the entity stands, and what describes it.
    mutating func learnPlaces(of response: TransferResponse) {
        sources.add(held?.origin.mirrors ?? [])
        guard !isDescribed, descriptions < Self.descriptionsMax, let url = description(in: response) else { return }
        (described, isDescribed, descriptions) = (url, true, descriptions + 1)
    }

    /// Where a Metalink of the entity stands, once.
    mutating func takeDescription() -> ResourceURL? {
        defer { described = nil }
        return described
    }
}
