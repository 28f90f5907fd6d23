import LedgerAria2
import LedgerSystem
import NIOCore
import NIOWebSocket
import Synchronization

/// A client of aria2's endpoint over a WebSocket: each message is a request, and between answers come notifications.
struct WebSocketSession: Sendable {
    let endpoint: Aria2Endpoint
    let patience: ConnectionPatience
    /// What the client has sent and is not done with.
    let share: BodyBudget.Share
    /// Called whenever the client has shown a token that opens something.
    let admitted: @Sendable () -> Void
    private let heard = Heard()

    /// A session of an endpoint.
    init(
        _ endpoint: Aria2Endpoint, _ patience: ConnectionPatience, _ share: BodyBudget.Share,
        admitted: @escaping @Sendable () -> Void
    ) {
        self.endpoint = endpoint
        self.patience = patience
        self.share = share
        self.admitted = admitted
    }

    /// How often a client is asked whether it is there (RFC 6455, section 5.5.2).
    private static let pingInterval = Duration.seconds(30)
    /// How long a client may say nothing, not even that.
    private static let silenceMax = Duration.seconds(90)

    private var clock: any LedgerClock { endpoint.clock }

    /// Answers until the client leaves.
    func run(_ channel: NIOAsyncChannel<WebSocketInput, WebSocketFrame>) async {
        do {
            try await channel.executeThenClose { inbound, outbound in
                let out = WebSocketOutlet(outbound, channel.channel, patience)
                try await withThrowingDiscardingTaskGroup { group in
                    group.addTask { await tell(out) }
                    group.addTask {
                        await ask(out)
                        channel.channel.close(promise: nil)
                    }
                    try await answer(inbound, out, from: channel.channel.remoteAddress?.ipAddress ?? "local")
                    group.cancelAll()
                }
            }
        } catch {
            // The connection broke: the client asks again over a new one.
            channel.channel.close(promise: nil)
        }
    }

    /// Tells what happens, also a client that has shown no token, as aria2 does: some that listen never call anything,
    /// and a notification names no more than a GID.
    private func tell(_ out: WebSocketOutlet) async {
        for await notification in endpoint.notifications() { await out.write(.text, notification) }
        guard !Task.isCancelled else { return }
        // Too far behind, or the ledger is closed: who is told nothing more is not kept waiting for it.
        await out.close(.goingAway)
    }

    private func answer(
        _ inbound: NIOAsyncChannelInboundStream<WebSocketInput>, _ out: WebSocketOutlet, from address: String
    ) async throws {
        var (reader, held) = (MessageReader(), 0)
        for try await input in inbound {
            if case .frame(_, let bytes) = input { held += bytes }
            heard.note(clock.uptime())
            defer { heard.expect(reader.isWithin, since: clock.uptime()) }
            do throws(WebSocketViolation) {
                switch try reader.take(input) {
                // What came while all was said already is not answered.
                case .message where out.isClosing, nil: break
                case .message(let message):
                    let answer = await endpoint.answer(message, from: address, admitted: admitted)
                    await out.write(.text, answer.body)
                case .ping(let data): await out.write(.pong, Array(data.readableBytesView))
                case .close(let code): return await out.close(code)
                }
            } catch {
                await out.close(error.code)
            }
            // Now it is answered, or dropped.
            guard !reader.isWithin || out.isClosing else { continue }
            share.give(back: held)
            held = 0
        }
    }

    /// Asks now and then whether the client is there, until it is not.
    private func ask(_ out: WebSocketOutlet) async {
        heard.note(clock.uptime())
        let messageMax = Duration.milliseconds(patience.bodyMillisecondsMax)
        while heard.isInTime(clock.uptime(), silenceMax: Self.silenceMax, messageMax: messageMax) {
            do { try await clock.sleep(until: clock.uptime() + Self.pingInterval) } catch { return }
            await out.write(.ping, [])
        }
    }

    /// When the client was heard last, and since when a message of it is not whole.
    final class Heard: Sendable {
        private let times = Mutex<(last: Duration, begun: Duration?)>((.zero, nil))

        func note(_ now: Duration) { times.withLock { $0.last = max($0.last, now) } }

        func expect(_ isWithin: Bool, since now: Duration) {
            times.withLock { $0.begun = isWithin ? $0.begun ?? now : nil }
        }

        func isInTime(_ now: Duration, silenceMax: Duration, messageMax: Duration) -> Bool {
            times.withLock { now - $0.last < silenceMax && now - ($0.begun ?? now) < messageMax }
        }
    }
}
