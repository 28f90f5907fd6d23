import HTTPTypes
import Hummingbird
import LedgerAPI
import LedgerCoding
import LedgerEngine
import LedgerHolder
import LedgerModel
import LedgerSystem
import LedgerViews

/// What the program works under: its limits, its groups, its room on the disk, its state of health.
struct Works: Sendable {
    let backend: Backend

    /// The routes.
    var routes: [Route] {
        [
            Route(.get, "/v1/status", .read, status), Route(.get, "/v1/limits", .read, limits),
            Route(.patch, "/v1/limits", .admin, changeLimits), Route(.get, "/v1/groups", .read, groups),
            Route(.put, "/v1/groups/{name}", .write, limitGroup), Route(.get, "/v1/storage", .read, storage),
        ]
    }

    private func status(_ call: Call) async throws -> Response {
        try call.query.require(only: [])
        let (service, status) = (backend.service, try await backend.service.status())
        let facts = try await service.read { state in
            (state.queue.liveCount, state.catalog.groups.keys.filter { !$0.isEmpty }.sorted())
        }
        return .json([
            "version": .string(backend.configuration.version), "processId": JSONValue(status.processID),
            "startedAt": .string(backend.startedAt.rfc3339), "last": JSONValue(status.last.rawValue),
            "running": JSONValue(status.running), "queued": JSONValue(facts.0),
            "rate": JSONValue(service.bytesPerSecond), "root": .string(backend.roots.first),
            "groups": JSONValue(facts.1), "scope": .string(call.scope.name),
        ])
    }

    private func limits(_ call: Call) async throws -> Response {
        try call.query.require(only: [])
        return .json(try await backend.service.limit(LimitChange()).json)
    }

    private func changeLimits(_ call: Call) async throws -> Response {
        var members = try await call.members()
        var change = LimitChange()
        change.runningMax = try members.number("jobs", 1...Self.runningMax)
        change.runningPerHostMax = try members.number("perHost", 1...Self.runningMax)
        if members.has("maxRate") {
            let rate: ByteSize? = try members.argument("maxRate")
            change.bytesPerSecondMax = rate?.bytes ?? 0
        }
        try members.finish()
        return .json(try await backend.service.limit(change).json)
    }

    /// The most downloads at once.
    private static let runningMax = 1024
    /// The longest name of a group in a path, in bytes.
    private static let groupBytesMax = 1024

    private func groups(_ call: Call) async throws -> Response {
        try call.query.require(only: [])
        let (used, limits) = try await backend.service.read { ($0.catalog.groups, $0.library.limits) }
        let names = Set(used.keys).union(limits.keys).filter { !$0.isEmpty }.sorted()
        return .json(["groups": .array(names.map { Self.json($0, used[$0], limits[$0]) })])
    }

    private static func json(_ name: String, _ usage: Catalog.Usage?, _ limits: GroupLimits?) -> JSONValue {
        [
            "group": .string(name), "newestMax": JSONValue(limits?.newestMax),
            "sizeMax": JSONValue(limits?.sizeBytesMax), "bytes": JSONValue(usage?.bytes ?? 0),
            "files": JSONValue(UInt64(usage?.files ?? 0)),
        ]
    }

    private func limitGroup(_ call: Call) async throws -> Response {
        guard let name = call.parameters.get("name").map({ ResourceURL.percentDecoded($0) }), !name.isEmpty else {
            throw Refusal.badRequest("the path names no group")
        }
        guard name.utf8.count <= Self.groupBytesMax else {
            throw Refusal.badRequest("a group's name has at most \(Self.groupBytesMax) bytes")
        }
        var members = try await call.members()
        let newest: UInt32? = try members.number("newestMax", 1...UInt32.max)
        let size: ByteSize? = try members.argument("sizeMax")
        try members.finish()
        _ = try await backend.client.library(.limit(group: name, newestMax: newest, sizeBytesMax: size?.limit))
        let (used, limits) = try await backend.service.read { ($0.catalog.groups[name], $0.library.limits[name]) }
        return .json(Self.json(name, used, limits))
    }

    private func storage(_ call: Call) async throws -> Response {
        try call.query.require(only: [])
        let (groups, trash) = try await backend.service.read { ($0.catalog.groups, $0.queue.trashUsage) }
        let world = backend.service.ledger.world
        let root = backend.roots.firstPath
        let free: UInt64
        do throws(FileError) {
            free = try await world.blocking.run { () throws(FileError) in
                try world.fileSystem.availableBytes(at: root)
            }
        } catch { throw Problem(LedgerError.file(error)) }
        let total = groups.values.reduce(into: (files: 0, bytes: UInt64(0))) { total, usage in
            total.files += usage.files
            total.bytes &+= usage.bytes
        }
        let largest = groups.sorted {
            $0.value.bytes != $1.value.bytes ? $0.value.bytes > $1.value.bytes : $0.key < $1.key
        }
        return .json([
            "bytes": JSONValue(total.bytes), "files": JSONValue(UInt64(total.files)), "free": JSONValue(free),
            "groups": .array(
                largest.map { name, usage in
                    [
                        "group": name.isEmpty ? .null : .string(name), "bytes": JSONValue(usage.bytes),
                        "files": JSONValue(UInt64(usage.files)),
                    ]
                }),
            "trash": ["bytes": JSONValue(trash.bytes), "files": JSONValue(UInt64(trash.files))],
        ])
    }
}
