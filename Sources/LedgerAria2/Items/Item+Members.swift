import LedgerAPI
import LedgerModel

/// Which members of an item a client asked for; all of them when it named none.
struct Keys: Sendable {
    private let names: Set<String>

    init(_ names: [String]) { self.names = Set(names) }

    func contains(_ name: String) -> Bool { names.isEmpty || names.contains(name) }
}

/// The members of an object, made only when they are asked for, and in order.
private struct Members {
    let keys: Keys
    var made: [WireValue.Member] = []

    mutating func add(_ name: String, _ value: @autoclosure () -> WireValue?) {
        guard keys.contains(name), let value = value() else { return }
        made.append(WireValue.Member(name: name, value: value))
    }
}

extension Item {
    /// What `tellStatus` says of it.
    func value(_ keys: Keys) -> WireValue {
        let ending = ending
        // In the order of their names.
        var members = Members(keys: keys)
        members.add("bitfield", bitfield.map { .text($0) })
        members.add("completedLength", .count(row.received))
        members.add("connections", .count(status == .active ? UInt64(row.streams ?? 0) : 0))
        members.add("dir", .text(download.order.destination.directory))
        members.add("downloadSpeed", .count(speed))
        members.add("errorCode", ending.map { .count($0.code) })
        members.add("errorMessage", ending.map { .text($0.message) })
        members.add("files", files)
        members.add("gid", .text(gid.description))
        members.add("numPieces", .count(pieceCount))
        members.add("pieceLength", .count(Self.pieceLength))
        members.add("status", .text(status.rawValue))
        members.add("totalLength", .count(totalLength))
        members.add("uploadLength", .text("0"))
        members.add("uploadSpeed", .text("0"))
        return .object(members.made)
    }

    var speed: UInt64 { status == .active ? row.rate ?? 0 : 0 }

    /// Its one file, as `getFiles` shows it.
    var files: WireValue {
        .file(path: path, length: totalLength, completed: wholePieceBytes, sources: uris)
    }

    /// Its URLs, as `getUris` shows them.
    var uris: WireValue {
        .list(
            sources.map { source in
                .object(of: [("status", .text(source.isUsed ? "used" : "waiting")), ("uri", .text(source.url))])
            })
    }

    /// Where its bytes come from now, as `getServers` shows it.
    var servers: WireValue {
        let url = WireValue.text(download.order.url.text)
        let current = WireValue.text(download.origin?.value.url.text ?? download.order.url.text)
        let server = WireValue.object(of: [("currentUri", current), ("downloadSpeed", .count(speed)), ("uri", url)])
        return .list([.object(of: [("index", .text("1")), ("servers", .list([server]))])])
    }
}

extension ForeignResult {
    /// What `tellStatus` says of it.
    func value(_ keys: Keys) -> WireValue {
        var members = Members(keys: keys)
        members.add("completedLength", .text("0"))
        members.add("connections", .text("0"))
        members.add("dir", .text(directory))
        members.add("downloadSpeed", .text("0"))
        members.add("errorCode", .count(errorCode))
        members.add("errorMessage", .text(errorMessage))
        members.add("files", files)
        members.add("gid", .text(gid.description))
        members.add("numPieces", .text("0"))
        members.add("pieceLength", .count(Item.pieceLength))
        members.add("status", .text(Item.Status.error.rawValue))
        members.add("totalLength", .text("0"))
        members.add("uploadLength", .text("0"))
        members.add("uploadSpeed", .text("0"))
        return .object(members.made)
    }

    var files: WireValue { .file(path: "", length: 0, completed: 0, sources: .list([])) }
}

extension WireValue {
    /// A list of one file.
    fileprivate static func file(path: String, length: UInt64, completed: UInt64, sources: WireValue) -> WireValue {
        .list([
            .object(of: [
                ("completedLength", .count(completed)), ("index", .text("1")), ("length", .count(length)),
                ("path", .text(path)), ("selected", .text("true")), ("uris", sources),
            ])
        ])
    }
}
