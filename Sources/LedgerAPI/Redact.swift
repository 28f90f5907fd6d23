package import LedgerModel

/// What `redact` asks for: that nothing be left of what was recorded about some downloads.
package struct RedactRequest: Hashable, Sendable, Codable {
    /// These, which must be deleted. One that was redacted before is looked for again.
    package var ids: [DownloadID] = []
    /// And those of which any record holds these bytes; nil for no more, never empty.
    package var match: String?
    /// Why, for whoever reads the log later.
    package var reason = ""
    /// Whether to say what would be done, and do nothing.
    package var isDryRun = false
    /// Names the request: asked again because the holder left before it answered, it is done to its end.
    package var command: CommandID?

    /// A request for nothing but what earlier ones may have left undone.
    package init() {}
}

/// What `redact` did, or would do.
package struct RedactReport: Hashable, Sendable, Codable {
    /// The downloads that the request meant, by id.
    package var ids: [DownloadID]
    /// How many records lost their content, or would; those of earlier redactions that were cut short count too.
    package var records: UInt64 = 0
    /// How many segments of the log were written anew, or would be.
    package var segments = 0
    /// How many segments in the archive.
    package var archived = 0
    /// How many snapshots.
    package var snapshots = 0
    /// How many segments may still hold what should be gone: the archive's copy is not at hand, or what stood before
    /// it is not.
    package var unreached = 0
    /// Whether nothing was done.
    package var isDryRun: Bool
    /// The tree's root, in hexadecimal: a redaction changes none.
    package var root = ""

    /// A report of nothing done yet.
    package init(ids: [DownloadID], isDryRun: Bool) {
        self.ids = ids
        self.isDryRun = isDryRun
    }
}
