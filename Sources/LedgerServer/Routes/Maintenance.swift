import HTTPTypes
import Hummingbird
import LedgerAPI
import LedgerCoding
import LedgerEngine
import LedgerHolder
import LedgerLog
import LedgerModel
import LedgerSystem
import LedgerViews
import Synchronization

/// What is done to the log itself.
struct Maintenance: Sendable {
    let backend: Backend
    private let verification = Verification()

    /// The routes.
    var routes: [Route] {
        [
            Route(.post, "/v1/verify", .read, verify), Route(.post, "/v1/compact", .admin, compact),
            Route(.post, "/v1/checkpoint", .read, checkpoint),
        ]
    }

    private func verify(_ call: Call) async throws -> Response {
        var members = try await call.members()
        let (data, quick) = (try members.flag("data"), try members.flag("quick"))
        try members.finish()
        // It may read every file there is, also for a client that hung up.
        guard verification.begin() else {
            throw Refusal(
                .serviceUnavailable,
                Problem(.refused, "a verification is under way", next: "try again when it has ended"),
                fields: [.retryAfter: "10"])
        }
        let verification = verification
        let view = try await backend.look { home, world, isStopped throws(LedgerError) in
            defer { verification.end() }
            // One thread: downloads go on beside it.
            var verifier = LogVerifier(
                home: home.path, fileSystem: world.fileSystem, depth: quick ? .quick : .whole, threads: 1)
            var view: VerificationView
            do throws(LogError) { view = VerificationView(try verifier.run()) } catch { throw .log(error) }
            if data, view.isLogWhole {
                view.files = try FileVerifier(home: home, world: world, threads: 1, isStopped: isStopped).run()
            }
            return view
        }
        guard case .object(var object) = view.json else { return .json(view.json) }
        object["exitCode"] = JSONValue(view.exitCode.rawValue)
        object["lines"] = JSONValue(view.lines)
        return .json(.object(object))
    }

    private func compact(_ call: Call) async throws -> Response {
        var members = try await call.members()
        var request = CompactRequest()
        request.keepEvents = try members.number("keepEvents")
        request.isDryRun = try members.flag("dryRun")
        try members.finish()
        request.command = try call.command()
        return .json(try await backend.client.compact(request).json)
    }

    private func checkpoint(_ call: Call) async throws -> Response {
        try await call.members().finish()
        let checkpoint: Checkpoint
        do throws(LedgerError) { checkpoint = try await backend.service.ledger.checkpoint() } catch {
            throw Problem(error)
        }
        return .json([
            "text": .string(checkpoint.text), "size": JSONValue(checkpoint.head.size),
            "root": .string(checkpoint.head.root.description),
        ])
    }

    /// The one verification that may be under way.
    private final class Verification: Sendable {
        private let isUnderWay = Mutex(false)

        /// Whether it may begin: none is under way.
        func begin() -> Bool {
            isUnderWay.withLock { isUnderWay in
                defer { isUnderWay = true }
                return !isUnderWay
            }
        }

        /// The next may begin.
        func end() { isUnderWay.withLock { $0 = false } }
    }
}
