import LedgerAPI
import LedgerCoding
import LedgerLog
import LedgerModel

/// What `verify` found, for people and for scripts.
struct VerificationView {
    private let report: VerificationReport

    /// A view of a report.
    init(_ report: VerificationReport) { self.report = report }

    /// The exit code of the gravest finding.
    var exitCode: ExitCode {
        let codes = report.findings.map(\.kind.exitCode)
        let gravestFirst: [ExitCode] = [.corruption, .tampering, .missing, .shorterThanCheckpoint, .tornTail]
        return gravestFirst.first(where: codes.contains) ?? .done
    }

    /// The line that `verify --json` ends with.
    var json: JSONValue {
        [
            "summary": [
                "segments": JSONValue(report.segments), "batches": JSONValue(report.batches),
                "events": JSONValue(report.records), "bytes": JSONValue(report.bytes),
                "last": JSONValue(report.lastSequence.rawValue), "root": .string(report.root.description),
                "findings": .array(report.findings.map(\.json)),
            ]
        ]
    }

    /// Each finding with what to do next, and the sum.
    var lines: [String] {
        var lines = report.findings.flatMap { finding in
            ["\(finding.kind.name): \(finding.what)", "  next:  \(finding.next)"]
        }
        let verdict = report.findings.allSatisfy(\.kind.isHarmless) ? "verified" : "damaged"
        lines.append(
            "\(verdict): \(Figures.counted(report.records, "event")) in \(Figures.counted(report.segments, "segment")),"
                + " \(Figures.size(report.bytes)), up to \(report.lastSequence), root \(report.root)")
        return lines
    }
}

extension LogFinding {
    fileprivate var json: JSONValue {
        [
            "class": .string(kind.name), "segment": .string(file), "offset": JSONValue(offset),
            "sequences": sequences.map {
                [JSONValue($0.lowerBound.rawValue), JSONValue($0.upperBound.rawValue)]
            } ?? .null,
            "recoverable": .bool(isRecoverable), "what": .string(what), "next": .string(next),
        ]
    }
}

extension LogFinding.Kind {
    /// The name for people and scripts: words with hyphens.
    fileprivate var name: String {
        switch self {
        case .damagedCopy: "damaged-copy"
        case .tornTail: "torn-tail"
        case .corruption: "corruption"
        case .tampering: "tampering"
        case .shorterThanHead: "shorter-than-head"
        case .shorterThanCheckpoint: "shorter-than-checkpoint"
        case .missingSegment: "missing-segment"
        case .missingHead: "missing-head"
        }
    }

    fileprivate var exitCode: ExitCode {
        switch self {
        case .damagedCopy: .done
        case .tornTail: .tornTail
        case .corruption: .corruption
        case .tampering: .tampering
        case .shorterThanHead, .shorterThanCheckpoint: .shorterThanCheckpoint
        case .missingSegment, .missingHead: .missing
        }
    }
}
