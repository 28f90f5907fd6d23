import AppTestSupport
import DownloadLedger
import Foundation
import LedgerTestSupport
import Testing

/// The container of an app gets another path between two starts, with the ledger and all files in it.
struct ContainerTests {
    /// A ledger and a place for files in a container.
    private func open(in container: URL) async throws -> DownloadLedger {
        var configuration = LedgerConfiguration()
        configuration.directory = container.appending(path: "files", directoryHint: .isDirectory)
        configuration.container = container
        let ledger = try await DownloadLedger.open(
            at: container.appending(path: "ledger"), configuration: configuration)
        return ledger
    }

    @Test func `what is finished, half there and in the trash is where the container is now`() async throws {
        try await AppFixture.run { app in
            let (bytes, gate) = (OriginEntity.pattern(300_000), OriginGate())
            for name in ["/whole", "/gone"] { app.serve(name, bytes) }
            app.serve("/half", bytes, holdingAt: gate, after: 200_000)
            let (before, now) = (app.directory("container-1"), app.directory("container-2"))
            var ledger = try await open(in: before)
            let (whole, gone) = (
                try await ledger.enqueue(app.url("/whole")), try await ledger.enqueue(app.url("/gone"))
            )
            #expect(try await whole.value == before.appending(path: "files/whole"))
            _ = try await gone.value
            try await ledger.delete(gone.id)
            let half = try await ledger.enqueue(app.url("/half"))
            for await progress in half.progress where progress.received >= 200_000 { break }
            await ledger.close()
            gate.open()
            try FileManager.default.moveItem(at: before, to: now)

            ledger = try await open(in: now)
            let (requests, file) = (app.origin.requests.count, now.appending(path: "files/half"))
            let handle = try await ledger.enqueue(app.url("/half"))
            #expect(try await handle.value == file && handle.id == half.id)
            #expect(try app.contents(file) == bytes)
            let ranges = app.origin.requests.dropFirst(requests).compactMap { $0["range"] }
            #expect(ranges == ["bytes=200000-"], "what was there is not fetched again")
            #expect(try await ledger.localURL(for: app.url("/whole")) == now.appending(path: "files/whole"))
            #expect(try await ledger.undo().map(\.fileURL) == [now.appending(path: "files/gone")])
            #expect(try app.contents(now.appending(path: "files/gone")) == bytes)
            await ledger.close()

            try FileManager.default.moveItem(at: now, to: before)
            ledger = try await open(in: before)
            #expect(try await ledger.playbackURL(for: app.url("/whole")) == before.appending(path: "files/whole"))
            await ledger.close()
        }
    }

    @Test func `a container that moved into its own old place, and out of it again, keeps its files`() async throws {
        try await AppFixture.run { app in
            app.serve("/a", [1, 2, 3])
            let (outer, between) = (app.directory("container"), app.directory("between"))
            let inner = outer.appending(path: "v2", directoryHint: .isDirectory)
            var ledger = try await open(in: outer)
            _ = try await ledger.enqueue(app.url("/a")).value
            await ledger.close()
            try FileManager.default.moveItem(at: outer, to: between)
            try FileManager.default.createDirectory(at: outer, withIntermediateDirectories: false)
            try FileManager.default.moveItem(at: between, to: inner)
            ledger = try await open(in: inner)
            #expect(try await ledger.localURL(for: app.url("/a")) == inner.appending(path: "files/a"))
            await ledger.close()
            try FileManager.default.moveItem(at: inner, to: between)
            try FileManager.default.removeItem(at: outer)
            try FileManager.default.moveItem(at: between, to: outer)
            ledger = try await open(in: outer)
            #expect(try await ledger.localURL(for: app.url("/a")) == outer.appending(path: "files/a"))
            await ledger.close()
        }
    }

    @Test func `another container that is configured is no move`() async throws {
        try await AppFixture.run { app in
            app.serve("/a", [1, 2, 3])
            let container = app.directory("container")
            var ledger = try await open(in: container)
            let file = try await ledger.enqueue(app.url("/a")).value
            await ledger.close()
            for other in [app.path("elsewhere"), container.path(percentEncoded: false) + "ledger"] {
                var configuration = LedgerConfiguration()
                configuration.container = URL(filePath: other, directoryHint: .isDirectory)
                ledger = try await DownloadLedger.open(
                    at: container.appending(path: "ledger"), configuration: configuration)
                #expect(try await ledger.localURL(for: app.url("/a")) == file)
                await ledger.close()
            }
        }
    }
}
