import LedgerAPI
import LedgerEngine
import LedgerServer
import LedgerSystem
import SystemPackage

/// What `doctor` looks at, one thing after the other. It changes nothing, and what one look can not see keeps none of
/// the others from being had.
struct Examination: Sendable {
    /// What the command finds around it.
    let context: CommandContext
    /// Where its words go.
    let console: Console
    /// Where the ledger lives, or will.
    let home: LedgerHome
    /// Where the API is asked; nil for where the holder says that it serves it.
    let address: ListenAddress?

    /// The disk.
    var fileSystem: any FileSystem { context.world.fileSystem }

    /// Looks at everything, and hands over each finding as it is had.
    func run(_ take: (Finding) throws -> Void) async throws {
        let (settings, configured) = await configuration()
        let place = lookAtHome()
        var files: String?
        try place.findings.forEach(take)
        if place.isThere {
            try take(volume(of: home.path, "disk", "the ledger"))
            try take(room(in: home.path, "room", trash: home.trash))
            try self.files().forEach(take)
            let holder = await holder()
            try take(holder.finding)
            files = holder.status?.directory
            try take(await heir())
            let log = await log()
            try log.forEach(take)
            try await archive().forEach(take)
            try take(tokens())
            try take(await secrets())
            try await api(holder.status, isHeld: holder.isHeld).forEach(take)
        }
        try configured.forEach(take)
        try destination(files ?? settings.directory).forEach(take)
        try take(authorities(settings))
        try companions(settings).forEach(take)
        try take(descriptors(settings))
        try take(await clock(place.isThere))
        try take(proxies(settings))
    }

    /// What a look at the disk comes to, or what the disk answered instead.
    func seen(_ check: String, _ look: () throws(FileError) -> Finding) -> Finding {
        do throws(FileError) { return try look() } catch {
            return Finding(check, .bad, "can not be looked at: \(error.description)", next: "see who may, and as whom")
        }
    }
}
