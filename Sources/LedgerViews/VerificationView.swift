package import LedgerAPI
package import LedgerCoding
package import LedgerEngine
import LedgerHolder
package import LedgerLog
import LedgerModel

/// What `verify` found, for people and for scripts.
package struct VerificationView {
    private let log: VerificationReport
    /// What comparing the files came to; nil when that was not asked for.
    package var files: FileReport?

    /// A view of what verifying the log came to.
    package init(_ log: VerificationReport) { self.log = log }

    /// Whether nothing acknowledged is touched.
    package var isLogWhole: Bool { log.findings.allSatisfy(\.kind.isHarmless) }

    /// The exit code of the gravest finding.
    package var exitCode: ExitCode {
        var codes = log.findings.map(\.kind.exitCode)
        if let files, !files.findings.isEmpty { codes.append(.filesDiffer) }
        let gravestFirst: [ExitCode] = [
            .corruption, .tampering, .missing, .disk, .shorterThanCheckpoint, .filesDiffer, .tornTail,
        ]
        return gravestFirst.first(where: codes.contains) ?? .done
    }

    /// The line that `verify --json` ends with.
    package var json: JSONValue {
        var summary: JSONObject = [
            "segments": JSONValue(log.segments), "batches": JSONValue(log.batches),
            "events": JSONValue(log.records), "bytes": JSONValue(log.bytes),
            "last": JSONValue(log.lastSequence.rawValue), "root": .string(log.root.description),
        ]
        if let files {
            summary["files"] = [
                "count": JSONValue(files.files), "checked": JSONValue(files.checked), "bytes": JSONValue(files.bytes),
                "different": JSONValue(files.findings.count),
            ]
        }
        summary["findings"] = .array(log.findings.map(\.json) + (files?.findings.map(\.json) ?? []))
        return ["summary": .object(summary)]
    }

    /// Each finding with what to do next, and the sums.
    package var lines: [String] {
        var lines = log.findings.flatMap { finding in
            ["\(finding.kind.name): \(finding.what)", "  next:  \(finding.next)"]
        }
        if let files {
            lines += files.findings.flatMap { finding in
                [
                    "\(finding.kind.rawValue): download \(finding.id): \(TextWidth.printable(finding.what))",
                    "  next:  \(finding.next)",
                ]
            }
            lines.append(Self.sentence(files))
        }
        let verdict = isLogWhole ? "verified" : "damaged"
        lines.append(
            "\(verdict): \(Figures.counted(log.records, "event")) in \(Figures.counted(log.segments, "segment")),"
                + " \(Figures.size(log.bytes)), up to \(log.lastSequence), root \(log.root)")
        return lines
    }

    /// How the files are, in a line.
    private static func sentence(_ files: FileReport) -> String {
        let right = files.checked - files.findings.count
        var line = "files: \(Figures.count(UInt64(max(0, right)))) of \(Figures.counted(files.checked, "file")) "
        line += "as on record, \(Figures.size(files.bytes))"
        return files.checked == files.files ? line : line + "; picked from \(Figures.count(UInt64(files.files)))"
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
        case .unknownStart: "unknown-start"
        case .corruption: "corruption"
        case .tampering: "tampering"
        case .shorterThanHead: "shorter-than-head"
        case .shorterThanCheckpoint: "shorter-than-checkpoint"
        case .missingSegment: "missing-segment"
        case .unreadable: "unreadable"
        case .missingHead: "missing-head"
        case .missingSnapshot: "missing-snapshot"
        case .unreachedCheckpoint: "unreached-checkpoint"
        }
    }

    fileprivate var exitCode: ExitCode {
        switch self {
        case .damagedCopy, .unknownStart: .done
        case .tornTail: .tornTail
        case .corruption: .corruption
        case .tampering: .tampering
        case .shorterThanHead, .shorterThanCheckpoint: .shorterThanCheckpoint
        case .missingSegment, .missingHead, .missingSnapshot, .unreachedCheckpoint: .missing
        case .unreadable: .disk
        }
    }
}

extension FileFinding {
    fileprivate var json: JSONValue {
        [
            "class": .string(kind.rawValue), "segment": .null, "offset": JSONValue(range?.lowerBound),
            "sequences": .null, "id": JSONValue(id.rawValue), "path": .string(path),
            "recoverable": .bool(isRecoverable), "what": .string(what), "next": .string(next),
        ]
    }

    /// What a person can do about it.
    fileprivate var next: String {
        switch kind {
        case .missing where isOnRecord, .altered where isOnRecord: "'ledger retry \(id)' fetches it again"
        case .missing: "'ledger run' takes note of it at its start, and 'ledger retry \(id)' then fetches it again"
        case .altered:
            "put the file back from a copy; or move it away, let 'ledger run' take note of it, and fetch it again with "
                + "'ledger retry \(id)'"
        case .unreadable: "check the path, its permissions and the disk, then verify again"
        case .partMissing, .partAltered: "nothing: the next attempt fetches again what is not right"
        }
    }
}
