import LedgerEngine
import NIOCore
import NIOHTTP1
import NIOPosix

/// An HTTP origin on loopback that serves the demo's files slowly, with ranges and entity tags, and counts what it
/// sent.
final class DemoOrigin: Sendable {
    /// What was sent so far.
    struct Tally: Hashable, Sendable {
        /// Bytes of bodies, by file.
        var bytes: [Int: Int] = [:]
        /// Requests for a rest, by file.
        var resumed: Set<Int> = []

        /// Bytes of all bodies.
        var total: Int { bytes.values.reduce(0, +) }
    }

    /// How much goes out at once on a connection, in bytes.
    static let chunkBytes = 32 << 10
    /// How long a connection pauses after that: about 2 MiB a second.
    static let pauseMilliseconds = 15

    private let channel: any Channel
    private let shared: Shared

    /// Counts, and who waits for them.
    final class Shared: Sendable {
        private let state = Watched((tally: Tally(), isOver: false))

        /// What was sent so far.
        var tally: Tally { state.withLock { $0.tally } }

        func sent(_ count: Int, of file: Int) { state.change { $0.tally.bytes[file, default: 0] += count } }

        func resumed(_ file: Int) { state.withLock { _ = $0.tally.resumed.insert(file) } }

        func end() { state.change { $0.isOver = true } }

        func wait(for bytes: Int) async {
            while state.withLock({ $0.tally.total < bytes && !$0.isOver }) {
                await state.wait { $0.tally.total >= bytes || $0.isOver }
            }
        }
    }

    /// Serves on a free port of 127.0.0.1.
    init(files: [DemoFile]) async throws {
        let shared = Shared()
        self.shared = shared
        channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.configureHTTPServerPipeline()
                    try channel.pipeline.syncOperations.addHandler(DemoHandler(files: files, shared: shared))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
    }

    /// The port it listens on.
    var port: Int { channel.localAddress?.port ?? 0 }

    /// What was sent so far.
    var tally: Tally { shared.tally }

    /// Waits until so many bytes went out, or no more will.
    func hasSent(_ bytes: Int) async { await shared.wait(for: bytes) }

    /// Says that whoever fetched has ended.
    func end() { shared.end() }

    /// Stops listening.
    func stop() async throws { try await channel.close().get() }
}
