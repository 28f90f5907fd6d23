import LedgerModel

extension Statistics {
    /// 1 figures of all, 2 each host by ascending bytes, 3 each day ascending; within a host or a day 1 is its name or
    /// number.
    func encode(into writer: inout FieldWriter) {
        writer.nested(1) { total.encode(into: &$0) }
        for (host, figures) in hosts.sorted(by: { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }) {
            writer.nested(2) { writer in
                writer.string(1, host)
                figures.encode(into: &writer)
            }
        }
        for (day, figures) in days.sorted(by: { $0.key < $1.key }) {
            writer.nested(3) { writer in
                writer.int(1, day)
                figures.encode(into: &writer)
            }
        }
    }

    static func decode(_ source: FieldReader) throws(CodingError) -> Statistics {
        var reader = source
        var (hosts, days) = ([String: Figures](), [Int32: Figures]())
        var inner = try reader.required(1).nested()
        let total = try Figures.decode(&inner)
        var lastHost: String?
        while let field = try reader.optional(2) {
            inner = try field.nested()
            let host = try inner.required(1).string()
            let isNext = lastHost.map { $0.utf8.lexicographicallyPrecedes(host.utf8) } ?? true
            // One more than the bound: `other` comes on top of the hosts that are counted apart.
            guard isNext, hosts.count <= hostsMax else { throw field.badValue }
            lastHost = host
            hosts[host] = try Figures.decode(&inner)
        }
        var lastDay: Int32?
        while let field = try reader.optional(3) {
            inner = try field.nested()
            let day: Int32 = try inner.required(1).int()
            guard lastDay.map({ $0 < day }) ?? true else { throw field.badValue }
            lastDay = day
            days[day] = try Figures.decode(&inner)
        }
        try reader.finish()
        return Statistics(total: total, hosts: hosts, days: days)
    }
}

extension Statistics.Figures {
    /// 2 enqueued, 3 completed, 4 bytes, 5 failures.
    fileprivate func encode(into writer: inout FieldWriter) {
        writer.uint(2, enqueued)
        writer.uint(3, completed)
        writer.uint(4, bytes)
        writer.uint(5, failures)
    }

    fileprivate static func decode(_ reader: inout FieldReader) throws(CodingError) -> Statistics.Figures {
        let figures = Statistics.Figures(
            enqueued: try reader.required(2).count(), completed: try reader.required(3).count(),
            bytes: try reader.required(4).count(), failures: try reader.required(5).count())
        try reader.finish()
        return figures
    }
}
