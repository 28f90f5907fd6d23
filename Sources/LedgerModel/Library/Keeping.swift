/// What a listing keeps of what its entries of one group became.
package struct Keeping: Hashable, Sendable {
    /// An entry that became a download.
    package struct Entry: Hashable, Sendable {
        /// The entry's name in its listing.
        let guid: String
        /// What it became.
        let download: DownloadID
    }

    /// How many of the newest it keeps; nil for all.
    package let newestMax: UInt32?
    /// The group.
    let group: String
    /// What was enqueued, in no order.
    let entries: [Entry]
}
