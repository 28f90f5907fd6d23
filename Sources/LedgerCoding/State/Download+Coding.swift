import LedgerModel

extension Download {
    /// 1 id, 2 order, 3 phase, 4 until, 5 priority, 6 rank, 7 epoch, 8 origin, 9 generation, 10 durable ranges, 11
    /// failures in a row, 12 in all, 13 failure, 14 added, 15 started, 16 completed, 17 published in, 18 file, 19
    /// deletion, 20 whether the part is poisoned, 21 each blamed source, 22 the file that stands while its origin is
    /// asked, 23 when the origin last had the same, 24 sums of the durable ranges, 25 when the
    /// file was last used, 26 whether it is pinned, 27 what its part's name begins with where another one is planned by
    /// now. Zeros and empty values are left out.
    func encode(into writer: inout FieldWriter) {
        writer.uint(1, id.rawValue)
        writer.nested(2) { order.encode(into: &$0) }
        writer.phase(3, phase)
        writer.int(5, priority)
        writer.int(6, rank)
        writer.uint(7, unlessZero: epoch)
        if let origin { writer.nested(8) { origin.value.encode(into: &$0) } }
        writer.uint(9, unlessZero: generation)
        if !durable.isEmpty { writer.ranges(10, durable) }
        writer.uint(11, unlessZero: failuresInRow)
        writer.uint(12, unlessZero: failuresTotal)
        if let failure { writer.nested(13) { failure.value.encode(into: &$0) } }
        writer.int(14, addedAt.milliseconds)
        writer.int(15, ifPresent: startedAt?.milliseconds)
        writer.int(16, ifPresent: completedAt?.milliseconds)
        writer.uint(17, ifPresent: publishedIn?.rawValue)
        if let file { writer.nested(18) { file.value.encode(into: &$0) } }
        if let deletion { writer.nested(19) { deletion.value.encode(into: &$0) } }
        writer.flag(20, isPoisoned)
        for source in blamed?.value ?? [] { writer.string(21, source.text) }
        if let standing { writer.nested(22) { standing.value.encode(into: &$0) } }
        writer.int(23, ifPresent: checkedAt?.milliseconds)
        writer.sums(24, sums)
        writer.int(25, ifPresent: usedAt?.milliseconds)
        writer.flag(26, isPinned)
        writer.string(27, ifPresent: keptPartStem)
    }

    static func decode(_ source: FieldReader, _ interner: inout Interner) throws(CodingError) -> Download {
        var reader = source
        let id = DownloadID(try reader.required(1).sequence())
        let order = try Order.decode(try reader.required(2).nested(), &interner)
        let phase = try reader.phase(3)
        let priority: Int32 = try reader.required(5).int()
        let rank: Rank = try reader.required(6).int()
        let epoch: UInt32? = try reader.optional(7)?.uint()
        let origin = try reader.optional(8) { field throws(CodingError) in
            Shared(try Origin.decode(try field.nested(), &interner, of: order.url))
        }
        let generation: UInt32? = try reader.optional(9)?.uint()
        let durable = try reader.optional(10)?.ranges()
        let failuresInRow: UInt32? = try reader.optional(11)?.uint()
        let failuresTotal: UInt32? = try reader.optional(12)?.uint()
        let failure = try reader.optional(13) { field throws(CodingError) in
            Shared(try Failure.decode(try field.nested(), &interner))
        }
        var download = Download(
            id: id, order: consume order, phase: phase, priority: priority, rank: rank,
            addedAt: try reader.required(14).timestamp())
        download.epoch = epoch ?? 0
        download.origin = origin
        download.generation = generation ?? 0
        download.durable = durable ?? ByteRangeSet()
        download.failuresInRow = failuresInRow ?? 0
        download.failuresTotal = failuresTotal ?? 0
        download.failure = failure
        // What waits has no end yet.
        if !reader.isAtEnd { try download.decodeEnd(&reader, &interner) }
        // What the fold takes for granted of these phases.
        guard download.file != nil || !(phase.isFinished || phase == .publishing) else {
            throw CodingError(.missing(field: 18))
        }
        guard download.standing == nil || phase.isLive else { throw CodingError(.badValue(field: 22)) }
        return download
    }

    private mutating func decodeEnd(
        _ reader: inout FieldReader, _ interner: inout Interner
    ) throws(CodingError) {
        var past = Past()
        past.startedAt = try reader.optional(15)?.timestamp()
        past.completedAt = try reader.optional(16)?.timestamp()
        past.publishedIn = try reader.optional(17)?.sequence()
        file = try reader.optional(18) { field throws(CodingError) in
            Shared(try PublishedFile.decode(try field.nested(), &interner))
        }
        past.deletion = try reader.optional(19) { field throws(CodingError) in
            Shared(try Deletion.decode(try field.nested(), &interner))
        }
        isPoisoned = try reader.flag(20)
        var sources: [ResourceURL] = []
        while let source = try reader.optional(21) { sources.append(try source.url()) }
        blamed = sources.isEmpty ? nil : Shared(sources)
        past.standing = try reader.optional(22) { field throws(CodingError) in
            Shared(try StandingFile.decode(try field.nested(), &interner))
        }
        past.checkedAt = try reader.optional(23)?.timestamp()
        sums = try reader.optional(24)?.sums(of: durable) ?? []
        past.usedAt = try reader.optional(25)?.timestamp()
        past.isPinned = try reader.flag(26)
        past.partStem = try reader.optional(27)?.component()
        changePast { $0 = past }
        try reader.finish()
    }
}

extension StandingFile {
    /// 1 file, 2 origin.
    func encode(into writer: inout FieldWriter) {
        writer.nested(1) { file.encode(into: &$0) }
        if let origin { writer.nested(2) { origin.encode(into: &$0) } }
    }

    static func decode(_ source: FieldReader, _ interner: inout Interner) throws(CodingError) -> StandingFile {
        var reader = source
        let file = try PublishedFile.decode(try reader.required(1).nested(), &interner)
        let origin = try reader.optional(2) { field throws(CodingError) in
            try Origin.decode(try field.nested(), &interner)
        }
        try reader.finish()
        return StandingFile(file: file, origin: origin)
    }
}

extension PublishedFile {
    /// 1 path, 2 length, 3 digest, 4 identity.
    func encode(into writer: inout FieldWriter) {
        writer.string(1, path)
        writer.uint(2, length)
        writer.digest(3, sha256)
        if let identity { writer.nested(4) { identity.encode(into: &$0) } }
    }

    static func decode(_ source: FieldReader, _ interner: inout Interner) throws(CodingError) -> PublishedFile {
        var reader = source
        let path = try reader.required(1)
        let file = PublishedFile(
            path: try path.path(&interner), length: try reader.required(2).count(),
            sha256: try reader.required(3).digest(),
            identity: try reader.optional(4) { field throws(CodingError) in
                try FileIdentity.decode(try field.nested())
            })
        try reader.finish()
        return file
    }
}
