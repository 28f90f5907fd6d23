import LedgerAPI
import LedgerCoding
import LedgerEngine
import LedgerHolder
import LedgerModel
import LedgerTestSupport

@testable import LedgerAria2

/// The origin that the recorded requests name, and what had come to pass when each of them was made.
struct GoldenStage {
    private let fixture: Aria2Fixture
    /// What the large file stops at, and the answers that are to come last.
    private let large = OriginGate()
    private let loop = OriginGate()
    private let busy = OriginGate()
    private static let (largeBytes, receivedBytes) = (104_857_600, 16_384)

    init(_ fixture: Aria2Fixture) { self.fixture = fixture }

    /// Puts up the origin, and gives the options that the recorded program was started with.
    func set() async throws {
        let origin = fixture.origin
        // It knew no ranges, and stood at 10,000 bytes a second when it was looked at.
        let head = OriginReply.head(200, [("Content-Length", String(Self.largeBytes))])
        let start = OriginEntity.pattern(Self.receivedBytes)
        origin.on("/big") { [large] _ in OriginReply(steps: [head, .bytes(start), .gate(large), .close]) }
        for path in ["/ok", "/ok2", "/ok3"] { origin.on(path) { _ in OriginReply(body: OriginEntity.pattern(120)) } }
        for (path, status) in [("/404", 404), ("/401", 401), ("/403x", 403)] {
            origin.on(path) { _ in OriginReply(status) }
        }
        origin.on("/503") { [busy] _ in OriginReply(steps: [.gate(busy)] + OriginReply(503).steps) }
        origin.on("/loop") { [loop] _ in
            OriginReply(steps: [.gate(loop)] + OriginReply.redirect(302, to: "/loop").steps)
        }
        try await fixture.call(
            "aria2.changeGlobalOption",
            [
                "file-allocation": "none", "max-download-limit": "10000", "max-tries": "2", "retry-wait": "1",
                "user-agent": "aria2/1.36.0",
            ])
    }

    /// Waits for what had come to pass before an exchange.
    func prepare(for index: Int) async throws {
        switch index {
        case 27: try await untilReceived("00000000000000aa")
        case 67: try await fixture.until("00000000000000cc", "complete")
        case 72: try await untilReceived("00000000000000aa")
        case 81: try await fixture.until("0000000000000100", "error")
        case 83: try await fixture.until("0000000000000102", "error")
        case 85: try await fixture.until("0000000000000104", "error")
        case 86: try await fixture.until("0000000000000105", "error")
        case 87:
            try await fixture.until("00000000000001f0", "error")
            loop.open()
            try await fixture.until("0000000000000103", "error")
            busy.open()
            try await fixture.until("0000000000000101", "error")
        default: break
        }
    }

    /// Waits until a download runs, and all that its origin has sent is recorded.
    private func untilReceived(_ gid: JSONValue) async throws {
        try await fixture.until(gid, "active")
        guard case .download(let item) = try await fixture.endpoint.find(gid.string ?? "") else { return }
        let (service, id) = (fixture.service, item.row.id)
        try await fixture.until {
            try await service.read { $0.queue[id]?.durable.count } == UInt64(Self.receivedBytes)
        }
    }

    /// Lets go what is still held.
    func end() { for gate in [large, loop, busy] { gate.open() } }
}
