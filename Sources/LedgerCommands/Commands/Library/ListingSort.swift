import LedgerAPI
import LedgerModel
import LedgerViews

/// What `ledger feed` and `ledger catalog` say differently.
protocol ListingSort {
    /// Which of the two.
    static var kind: Listing.Kind { get }
    /// What it is for.
    static var abstract: String { get }
    /// More about it.
    static var discussion: String { get }
    /// More about `add`.
    static var addDiscussion: String { get }
}

/// `ledger feed`.
enum FeedSort: ListingSort {
    static var kind: Listing.Kind { .feed }
    static var abstract: String { "Follow podcasts and other feeds." }
    static var discussion: String {
        """
        RSS, Atom and JSON Feed. 'ledger run' reads what is followed again and again; its list stays readable without \
        a network. What was enqueued once never is again by itself, also when it was deleted.

        EXAMPLE
          ledger feed add https://example.org/podcast.xml --auto --keep 10 -d ~/Podcasts
          ledger feed list 1
        """
    }
    static var addDiscussion: String {
        """
        Reads it at once and prints its number. With '--auto' what is new is enqueued by itself; with '--keep' only \
        the newest are, and the files of older ones that came of it are evicted, but for pinned ones; what else is in \
        its group stays ('ledger keep' limits a group as a whole). Files go into a directory for each group. Added \
        again, it is followed in the new way.

        EXAMPLE
          ledger feed add https://example.org/podcast.xml --auto --keep 10 --filter 'interview|news'
        """
    }
}

/// `ledger catalog`.
enum CatalogSort: ListingSort {
    static var kind: Listing.Kind { .catalog }
    static var abstract: String { "Follow lists of things to download." }
    static var discussion: String {
        """
        A JSON list of objects with "id", "name", "details", "url", "type", "group", "thumbnail" and "order", from an \
        address or a file. It stays readable without a network; what was not downloaded yet is in it as available.

        EXAMPLE
          ledger catalog add https://example.org/lessons.json -d ~/Lessons
          ledger catalog list 1
          ledger catalog take 1 lesson-7
        """
    }
    static var addDiscussion: String {
        """
        Reads it at once and prints its number. With '--auto' what is new is enqueued by itself. Files go into a \
        directory for each group. Added again, it is followed in the new way.

        EXAMPLE
          ledger catalog add lessons.json --auto
        """
    }
}
