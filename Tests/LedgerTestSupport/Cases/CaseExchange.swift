package import LedgerModel

/// One request of a case, with what its answer may depend on.
package struct CaseExchange: Sendable {
    /// Where the listeners are, as `scheme://host:port`.
    package struct Places: Sendable {
        /// The first one, where clients begin.
        package var main: String
        /// The first one, under the name `localhost`.
        package var named: String
        /// Another port.
        package var other: String
        /// Another port, never over TLS.
        package var plain: String
    }

    /// The request.
    package let request: OriginRequest
    /// How many requests of this case and token came before.
    package let number: Int
    /// `/CASE/TOKEN`.
    package let folder: String
    /// What follows in the path.
    package let name: String
    /// Where the listeners are.
    package let places: Places
    /// The wall clock.
    package let now: Timestamp
    /// Whether no other connection is being answered for this case and token; the first of several stays alone.
    package let isAlone: Bool
    /// Waits for the second request of this case and token, within reason.
    package let company: OriginReply.Step

    /// Whether it is the first request of this case and token.
    package var isFirst: Bool { number == 0 }

    /// The first byte asked for, when that is one in the middle of `v1`.
    package var middle: Int? {
        request.rangeStart.flatMap { $0 > 0 && $0 < CaseFile.v1.bytes.count ? $0 : nil }
    }

    /// A file, served in good order.
    package func serve(
        _ file: CaseFile, tag: String? = "\"v1\"", modified: String? = nil,
        _ change: (inout OriginEntity) -> Void = { _ in }
    ) -> OriginReply {
        var entity = OriginEntity(file.bytes, entityTag: tag, lastModified: modified)
        change(&entity)
        return entity.reply(to: request)
    }

    /// A file that takes a second; the first time, the rest of it comes when others are asking too.
    package func serveSlowly(_ file: CaseFile) -> OriginReply {
        var reply = serve(file).paced(pieces: 20, everyMilliseconds: 50)
        // After the head, and the first piece.
        if isFirst, reply.steps.count > 3 { reply.steps.insert(company, at: 3) }
        return reply
    }

    /// `v1`, cut in the middle.
    package func cut(tag: String? = "\"v1\"", modified: String? = nil) -> OriginReply {
        serve(.v1, tag: tag, modified: modified).cut(after: CaseFile.cutBytes)
    }

    /// A redirect to another name of this case.
    package func redirect(_ status: Int = 302, to name: String, at place: String = "") -> OriginReply {
        .redirect(status, to: place + folder + "/" + name)
    }

    /// A good head, and then the bytes that are due, one by one.
    package func drip(_ file: CaseFile = .v1, everyMilliseconds pause: Int64) -> OriginReply {
        var reply = serve(file).cut(after: 0)
        let start = min(request.rangeStart ?? 0, file.bytes.count - 1)
        reply.steps[reply.steps.count - 1] = .drip(file.bytes[start...], everyMilliseconds: pause)
        return reply
    }

    /// A page with a status.
    package func page(_ status: Int, _ file: CaseFile = .errorPage) -> OriginReply {
        OriginReply(status, [("Content-Type", "text/html; charset=utf-8")], body: file.bytes)
    }
}
