/// What happened to that which fills the catalog and keeps it: limits of groups, listings, hooks.
package enum LibraryEvent: Hashable, Sendable {
    /// What a group may hold was set; empty limits lift them.
    case limited(group: String, GroupLimits)
    /// A listing is followed from now on, under the number of this event; or the one with this number is followed in
    /// another way.
    case followed(Listing, replacing: ListingID?)
    /// A listing is followed no longer; of its entries is remembered which were enqueued. What was downloaded stays.
    case unfollowed(ListingID)
    /// A listing offers these, which are new or were changed.
    case listed(ListingID, [ListedEntry])
    /// A catalog offers these no longer.
    case delisted(ListingID, [String])
    /// A listing was read, or could not be.
    case refreshed(ListingID, Refresh)
    /// An entry became this download, and is never enqueued by itself again.
    case taken(ListingID, guid: String, DownloadID)
    /// A hook is told of what comes from now on.
    case hooked(name: String, details: String)
    /// A hook was told of everything up to here.
    case delivered(hook: String, through: SequenceNumber)
}

/// What someone wants of that which fills the catalog; it may be refused.
package enum LibraryCommand: Hashable, Sendable {
    /// Set what a group may hold.
    case limit(group: String, GroupLimits)
    /// Follow a listing; one of its kind from the same source is followed in this way from now on, unless it is among
    /// these, which are known to be from elsewhere: sources are written down without their secrets.
    case follow(Listing, besides: Set<ListingID> = [])
    case unfollow(ListingID)
    /// A listing was read: these are its entries, all of them, or nil when it has not changed or could not be read.
    case refresh(ListingID, [ListedEntry]?, Refresh)
    /// Enqueue an entry under this order; `again` also when what it became has ended without a file.
    case take(ListingID, guid: String, Order, again: Bool)
    /// A directory was moved as a whole: listings go by where it is now.
    case relocate(Relocation)
    /// Tell a hook of what comes from now on; one that is known goes on where it was.
    case hook(name: String, details: String)
    /// A hook was told of everything up to here.
    case deliver(hook: String, through: SequenceNumber)
}
