import AppTestSupport
import DownloadLedger
import FoundationEssentials
import LedgerTestSupport
import Synchronization
import Testing

extension HeavyTaskManagerTests {
    /// Gives bytes that it has, without a network: ranges and all, and cut short as often as it is told to.
    private final class Cupboard: TransferProvider {
        struct Empty: Error {}

        let asked = Mutex<[(path: String, range: String?)]>([])
        let bytes: [UInt8]
        let failures: Mutex<Int>
        let cuts: Mutex<Int>

        init(_ bytes: [UInt8], failures: Int = 0, cuts: Int = 0) {
            self.bytes = bytes
            self.failures = Mutex(failures)
            self.cuts = Mutex(cuts)
        }

        private static func takes(_ count: borrowing Mutex<Int>) -> Bool {
            count.withLock { left in
                defer { left = max(0, left - 1) }
                return left > 0
            }
        }

        func answer(_ request: TransferProviderRequest) async throws -> TransferProviderAnswer {
            asked.withLock { $0.append((request.url.path(percentEncoded: false), request["range"])) }
            if Self.takes(failures) { throw Empty() }
            let text = request["range"].map { $0.dropFirst("bytes=".count).prefix { $0 != "-" } }
            let start = text.flatMap { Int($0) } ?? 0
            let rest = Array(bytes[start...])
            let given = Self.takes(cuts) ? Array(rest.prefix(rest.count / 2)) : rest
            var fields = [("ETag", "\"1\""), ("Accept-Ranges", "bytes")]
            if start > 0 { fields.append(("Content-Range", "bytes \(start)-\(bytes.count - 1)/\(bytes.count)")) }
            var answer = TransferProviderAnswer(
                status: start > 0 ? 206 : 200, fields: fields,
                body: [Array(given.prefix(7)), Array(given.dropFirst(7))])
            answer.length = UInt64(rest.count)
            return answer
        }
    }

    @Test func `the provider of the transfer is swapped, and nothing else changes`() async throws {
        let bytes = OriginEntity.pattern(300_000)
        let cupboard = Cupboard(bytes)
        var files: [URL] = []
        var states: [Download.State] = []
        for provider in [cupboard, nil] {
            try await AppFixture.run(configured: .by { $0.provider = provider }) { app in
                app.serve("/large.bin", bytes)
                let (tasks, url) = (DownloadOptions(group: "tasks"), try app.url("/large.bin"))
                let handle = try await app.ledger.enqueue(url, options: tasks)
                let file = try await handle.value
                #expect(try app.contents(file) == bytes)
                #expect(app.requested == (provider == nil ? ["/large.bin"] : []))
                #expect(try await app.ledger.playbackURL(for: url, checking: true) == file)
                #expect(try await app.ledger.storage().groups == ["tasks": .init(files: 1, bytes: 300_000)])
                files.append(file)
                states += try await app.ledger.downloads().map(\.state)
            }
        }
        #expect(files.map(\.lastPathComponent) == ["large.bin", "large.bin"] && states == [.completed, .completed])
        #expect(cupboard.asked.withLock { $0.map(\.path) } == ["/large.bin"])
    }

    @Test func `what a provider fails with is told and tried again, and what it cut short is resumed`() async throws {
        let bytes = OriginEntity.pattern(300_000)
        let cupboard = Cupboard(bytes, failures: 1, cuts: 1)
        try await AppFixture.run(retries: .fixed([.zero, .zero]), configured: .by { $0.provider = cupboard }) { app in
            let handle = try await app.ledger.enqueue(try app.url("/large.bin"))
            let file = try await handle.value
            #expect(try app.contents(file) == bytes)
            let first = try await app.recorded("failed", of: handle.id)
            #expect(first.json.contains("Empty") && first.json.contains("connection-lost"))
            #expect(cupboard.asked.withLock { $0.map(\.range) } == [nil, nil, "bytes=150000-"])
        }
    }
}
