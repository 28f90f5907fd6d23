package import LedgerLog

extension ArchiveSurvey {
    /// How many stretches of events a sentence names.
    private static let namedMax = 4

    /// Which events were archived and are not there, for a sentence that goes on with "not in ..."; nil when none are
    /// missing.
    package var missingWords: String? {
        guard !missing.isEmpty else { return nil }
        let named = missing.prefix(Self.namedMax).map { "\($0.lowerBound) to \($0.upperBound)" }
        let more = missing.count > named.count ? " and \(missing.count - named.count) stretches more" : ""
        return "events " + named.joined(separator: ", ") + more + " were archived, and their segments are"
    }
}
