import HTTPTypes
import Hummingbird
import HummingbirdCore
import LedgerAPI
import LedgerEngine
import LedgerHolder
import LedgerModel
import LedgerSystem
import LedgerTransfer
import NIOCore
import SystemPackage

/// `GET /files/{id}`: the bytes of a finished file, or a range of them (RFC 9110, section 14).
struct FileRoute: Sendable {
    let backend: Backend

    /// The routes.
    var routes: [Route] {
        [
            Route(.get, "/files/{id}", .read) { call in try await answer(call, withBody: true) },
            Route(.head, "/files/{id}", .read) { call in try await answer(call, withBody: false) },
        ]
    }

    /// A file that is there.
    private struct Opened: Sendable {
        let file: any File
        /// In bytes.
        let length: UInt64
        /// Whether it stands as it was published.
        let isUntouched: Bool
        /// When it was last modified, in whole seconds.
        let modified: Timestamp
    }

    /// How much is read at once, in bytes.
    private static let chunkBytes = 256 << 10

    private func answer(_ call: Call, withBody: Bool) async throws -> Response {
        let (id, query) = (try call.download(), call.query)
        try query.require(only: ["download"])
        let isForced = try query.flag("download")
        let known = try await backend.service.read { $0.queue[id] }
        guard let download = known else { throw Problem(.notFound(id)) }
        guard download.hasWholeFile, let published = download.shownFile else {
            throw Refusal(
                .notFound,
                Problem(
                    .notFound, "download \(id) has no finished file", next: "'GET /v1/downloads/\(id)' says how it is"))
        }
        let opened: Opened
        do { opened = try await open(published, isConfined: download.order.options.value.isConfined) } catch {
            // Whoever looks at the download next sees what became of its file.
            try await backend.service.lookAtFiles(of: [id])
            throw error
        }
        // The sum is that of the file as it was published: of one that was touched since, nothing is claimed.
        let tag = opened.isUntouched ? "\"\(published.sha256.hex.prefix(32))\"" : nil
        let type = ServedType(download.origin?.value.mediaType, name: published.path)
        var fields: HTTPFields = [
            .acceptRanges: "bytes", .xContentTypeOptions: "nosniff", .contentType: type.mediaType,
            .cacheControl: "private, no-cache", .referrerPolicy: "no-referrer",
            // What a server sent runs nothing here, whatever it says it is.
            .contentSecurityPolicy:
                "sandbox; default-src 'none'; media-src 'self'; img-src 'self'; style-src 'unsafe-inline'",
            .contentDisposition: ServedType.disposition(
                published.path, isInline: type.isInline && !isForced),
        ]
        let now = backend.clock.now()
        // A time that is still to come is none that a client could go by (RFC 9110, section 8.8.2.1).
        let modified = opened.modified <= now ? opened.modified : nil
        (fields[.eTag], fields[.lastModified]) = (tag, modified?.httpDate)
        switch Preconditions(call.request.headers, now: now).outcome(tag: tag, modified: modified) {
        case .hold: break
        case .notModified:
            opened.file.close()
            return Response(status: .notModified, headers: fields)
        case .failed(let name):
            opened.file.close()
            throw Refusal(
                .preconditionFailed,
                Problem(
                    .refused, "the file is another one than '\(name)' asks for",
                    next: "'HEAD /files/\(id)' says which one is here"))
        }
        let asked: ServedRange
        do throws(Refusal) { asked = try ServedRange(call.request.headers, length: opened.length, tag: tag) } catch {
            opened.file.close()
            throw error
        }
        fields[.contentRange] = asked.contentRange
        fields[.contentLength] = "\(asked.bytes.count)"
        guard withBody else {
            opened.file.close()
            return Response(status: asked.status, headers: fields)
        }
        return Response(status: asked.status, headers: fields, body: body(opened.file, asked.bytes))
    }

    /// The file, if it is the one that was published as far as its length tells.
    /// - Parameter isConfined: whether it was given a place inside a root: a link that has come to stand in its way
    ///   leads to a file of somebody else.
    private func open(_ published: PublishedFile, isConfined: Bool) async throws -> Opened {
        let world = backend.service.ledger.world
        let directory = FilePath(published.path).removingLastComponent()
        do throws(FileError) {
            return try await world.blocking.run { () throws(FileError) in
                let place = isConfined ? try world.fileSystem.resolved(directory) : directory
                let file = try world.fileSystem.open(FilePath(published.path), .read)
                let status: FileStatus
                do throws(FileError) { status = try file.status() } catch {
                    file.close()
                    throw error
                }
                // What stands under the name is looked at itself: a link in its place could lead to any file.
                guard status.kind == .regular, status.length == published.length,
                    let named = try world.fileSystem.status(of: FilePath(published.path)), named.kind == .regular,
                    named.inode == status.inode, place == directory
                else {
                    file.close()
                    throw FileError("open", FilePath(published.path), .noSuchFileOrDirectory)
                }
                let now = FileIdentity(
                    length: status.length, modifiedNanoseconds: status.modifiedNanoseconds, inode: status.inode)
                return Opened(
                    file: file, length: status.length, isUntouched: published.identity.map { $0 == now } ?? true,
                    modified: Timestamp(milliseconds: status.modifiedNanoseconds / 1_000_000_000 * 1_000))
            }
        } catch {
            throw Refusal(
                .notFound,
                Problem(
                    .missing, "the file is not what was downloaded, or is gone",
                    next: "'POST /v1/downloads/ID/retry' fetches it anew"))
        }
    }

    private func body(_ file: any File, _ range: Range<UInt64>) -> ResponseBody {
        let blocking = backend.service.ledger.world.blocking
        return ResponseBody(contentLength: range.count) { writer in
            defer { file.close() }
            var place = range.lowerBound
            while place < range.upperBound {
                let (start, count) = (place, Int(min(UInt64(Self.chunkBytes), range.upperBound - place)))
                let chunk = try await blocking.run { () throws(FileError) in try file.bytes(at: start, count: count) }
                // Cut short behind our back: a broken answer, and never another file's bytes.
                guard chunk.count == count else { throw FileError("pread", file.path, .ioError) }
                try await writer.write(ByteBuffer(bytes: chunk))
                place += UInt64(count)
            }
            try await writer.finish(nil)
        }
    }
}
