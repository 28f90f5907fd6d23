/// Something that a client asked for and this program does not fetch: a torrent, a magnet link. It is a result that
/// says so, in memory.
struct ForeignResult: Hashable, Sendable {
    /// What it is.
    enum Kind: Hashable, Sendable {
        case torrent
        case magnet
    }

    let gid: GID
    let kind: Kind
    /// Where it would have gone.
    let directory: String
    /// What a client said of it.
    let options: OptionValues

    /// aria2's number for an error with such a thing.
    var errorCode: Int {
        switch kind {
        case .torrent: 26
        case .magnet: 27
        }
    }

    var errorMessage: String {
        switch kind {
        case .torrent: "BitTorrent is not spoken here: this program downloads over HTTP and HTTPS."
        case .magnet: "Magnet links are not followed here: this program downloads over HTTP and HTTPS."
        }
    }
}
