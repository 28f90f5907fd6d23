import LedgerModel
import LedgerTestSupport

extension RandomWalk {
    /// A command about what fills the catalog.
    mutating func libraryCommand() -> Command {
        let id = ids.isEmpty ? DownloadID(1) : ids[below(ids.count)]
        let listing = state.library.listings.keys.sorted().dropFirst(below(3)).first ?? SequenceNumber(1)
        switch below(10) {
        case 0: return .use(id)
        case 8: return .library(.relocate(relocation()))
        case 1: return .pin(id, chance(2))
        case 2:
            let limits = GroupLimits(
                newestMax: chance(3) ? nil : UInt32(1 + below(3)),
                sizeBytesMax: chance(2) ? UInt64(1 + below(4) * 1000) : nil)
            return .library(.limit(group: ["films", "papers", "feed 1"][below(3)], limits))
        case 3: return .library(.follow(followed(), besides: chance(8) ? [listing] : []))
        case 4 where chance(4): return .library(.unfollow(listing))
        case 4, 5: return .library(.refresh(listing, chance(4) ? nil : entries(), refresh()))
        case 6:
            return .library(.take(listing, guid: "e\(below(12))", order(), again: chance(3)))
        case 7: return .library(.hook(name: "h\(below(3))", details: "all=/bin/tell"))
        default:
            return .library(
                .deliver(hook: "h\(below(3))", through: SequenceNumber(UInt64(below(history.count + 2)))))
        }
    }

    private mutating func followed() -> Listing {
        var listing = Listing(
            kind: chance(2) ? .feed : .catalog,
            source: chance(2) ? .file("/feed\(below(2))") : .url(ResourceURL(recorded: "http://x/\(below(2))")),
            directory: "/data")
        if chance(2) { listing.group = "feed \(below(2))" }
        if chance(2) { listing.newestMax = UInt32(1 + below(3)) }
        if chance(4) { listing.filter = chance(3) ? "(" : "1" }
        listing.isAutomatic = chance(2)
        return listing
    }

    private mutating func entries() -> [ListedEntry] {
        (0..<below(8)).map { _ in
            let number = below(12)
            var entry = ListedEntry(guid: "e\(number)", url: ResourceURL(recorded: "http://x/\(number).mp3"))
            entry.title = "Episode \(below(14))"
            if chance(2) { entry.published = now.advanced(by: .seconds(Int64(number))) }
            if chance(3) { entry.group = "season \(below(2))" }
            if chance(3) { entry.order = Int64(below(5)) }
            return entry
        }
    }

    private mutating func refresh() -> Refresh {
        var refresh = Refresh(nextAt: now.advanced(by: .seconds(Int64(below(100)))))
        if chance(6) { refresh.failure = Fixture.lost }
        if chance(2) { refresh.title = "Radio \(below(2))" }
        return refresh
    }
}
