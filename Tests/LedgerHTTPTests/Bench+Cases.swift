import LedgerModel
import LedgerTestSupport
import LedgerTransfer
import Testing

/// Cases of the catalogue on a bench, all under one token.
extension Bench {
    static let token = "t"

    /// The case of a slug.
    static func named(_ slug: String) throws -> OriginCase { try #require(Catalogue.named(slug), "no case '\(slug)'") }

    /// An assignment for a case, never worked on before.
    func assignment(
        _ theCase: OriginCase, name: String? = nil, expected: Digest? = nil,
        _ change: (inout TransferOptions) -> Void = { _ in }
    ) throws -> Assignment {
        let mirrors = try theCase.mirrors.map { try origin.url(theCase.path(Self.token, $0)) }
        return try assignment(theCase.path(Self.token), name: name, expected: expected) { options in
            options.mirrors = mirrors
            change(&options)
        }
    }

    /// What the origins saw of a case.
    func seen(_ theCase: OriginCase) -> SeenCase { cases.seen(theCase.slug, Self.token) }

    /// Whether a file has the right bytes of a case. A comparison of its own: half a megabyte makes no good message.
    func holds(_ theCase: OriginCase, under name: String) throws -> Bool { try file(name) == theCase.file.bytes }

    /// Runs an assignment again and again, as the engine does: each time at the instant on record and with what is on
    /// record, until it is completed or has failed for good.
    func follow(_ assignment: Assignment, runsMax: Int = 8) async -> [WorkerEnd] {
        var assignment = assignment
        var ends: [WorkerEnd] = []
        while ends.count < runsMax {
            let before = reports.all.count
            let end = await run(assignment)
            ends.append(end)
            guard case .failed(_, let retryAt?) = end else { break }
            for report in reports.all[before...] { assignment.apply(report) }
            clock.advance(by: max(.zero, clock.now().duration(to: retryAt)))
        }
        return ends
    }
}

extension Assignment {
    /// What the queue's fold makes of a report, as far as the next attempt needs it.
    fileprivate mutating func apply(_ report: Report) {
        switch report {
        case .resolved(let origin, let generation):
            (self.origin, self.generation, durable) = (origin, generation, SummedRanges())
        case .progressed(let ranges, let sums):
            durable = SummedRanges(ranges, sums: sums)
            attemptsFailed = 0
        case .failed(let failure, _):
            attemptsFailed += 1
            isPoisoned = failure.poisonsPart
        case .blamed(let source, let failure): if !failure.isRetryable { blamed.append(source) }
        case .verified, .completed, .found, .unchanged: break
        }
    }
}

extension WorkerEnd {
    /// Why it failed; nil when it did not.
    var failure: Failure? { if case .failed(let failure, _) = self { failure } else { nil } }

    /// When it is tried again; nil when it is not.
    var retryAt: Timestamp? { if case .failed(_, let retryAt) = self { retryAt } else { nil } }
}

extension CaseFile {
    /// Its SHA-256.
    var digest: Digest {
        let digest = RunningDigest(stated: .sha256)
        digest.absorb(bytes.span.bytes, at: 0)
        return digest.finish().sha256
    }
}
