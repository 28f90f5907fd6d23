import LedgerAPI
import LedgerModel
import LedgerSystem
import LedgerTestSupport
import SystemPackage
import Testing

@testable import LedgerEngine

/// What a sweep of the secrets file removes, and what it must not while orders come in beside it.
struct SecretSweepTests {
    private let fixture = EngineFixture()

    private func store() throws -> SecretStore {
        try fixture.disk.createDirectory(fixture.home.path, permissions: 0o700)
        return try SecretStore(fixture.home.secrets, fileSystem: fixture.disk, random: fixture.world.random)
    }

    private func secrets(_ password: String) -> OrderSecrets {
        var secrets = OrderSecrets()
        secrets.credentials = "ada:" + password
        return secrets
    }

    private func sweep(_ store: SecretStore, owned: Set<SecretReference>) throws {
        #expect(store.beginSweep())
        try store.endSweep(owned: owned)
    }

    @Test func `what nobody owns goes, what someone owns and what can not be read stays, in the file too`() throws {
        let store = try store()
        let references = try store.keep(["one", "two"].map(secrets)).compactMap { $0 }
        let newer = Array("0011 of-a-newer-program\n".utf8)
        let length = try #require(try fixture.disk.contents(of: fixture.home.secrets)).count
        let file = try fixture.disk.open(fixture.home.secrets, .update)
        try file.write(newer, at: UInt64(length))
        try file.synchronize()
        let again = try SecretStore(fixture.home.secrets, fileSystem: fixture.disk, random: fixture.world.random)
        try sweep(again, owned: [references[0]])
        for store in [again, try self.store()] {
            #expect(store.secrets(of: references[0]) == secrets("one"))
            #expect(store.secrets(of: references[1]) == nil)
        }
        let left = try #require(try fixture.disk.contents(of: fixture.home.secrets))
        #expect(left.suffix(newer.count) == newer[...])
        #expect(try fixture.disk.status(of: fixture.home.secrets)?.permissions == 0o600)
        #expect(try again.keep([secrets("one")]) == [references[0]], "the key is the same")
    }

    @Test func `a sweep is worth it once the file has doubled`() throws {
        let store = try store()
        #expect(!store.isWorthSweeping)
        let some = (0..<9).map { secrets(String(repeating: "x", count: 200_000) + "\($0)") }
        store.release(try store.keep(some))
        #expect(store.isWorthSweeping)
        let kept = try store.keep(some)
        try sweep(store, owned: [])
        #expect(!store.isWorthSweeping)
        store.release(kept)
        store.release(try store.keep([secrets(String(repeating: "y", count: 1_200_000))]))
        #expect(!store.isWorthSweeping)
        store.release(try store.keep([secrets(String(repeating: "z", count: 1_200_000))]))
        #expect(store.isWorthSweeping)
        try sweep(store, owned: [])
        #expect(try store.read().bytes.count < 100)
    }

    @Test func `what was kept for an order that is not recorded yet stays until it was`() throws {
        let store = try store()
        let references = try store.keep([secrets("one"), OrderSecrets()])
        let reference = try #require(references[0])
        try sweep(store, owned: [])
        #expect(store.secrets(of: reference) != nil)
        store.release(references)
        try sweep(store, owned: [])
        #expect(store.secrets(of: reference) == nil)
    }

    @Test func `what is kept while a sweep is on its way stays, and one sweep goes at a time`() throws {
        let store = try store()
        let references = try store.keep([secrets("one")])
        store.release(references)
        #expect(store.beginSweep())
        #expect(!store.beginSweep())
        store.release(try store.keep([secrets("one")]))
        try store.endSweep(owned: [])
        #expect(store.secrets(of: try #require(references[0])) != nil)
        try sweep(store, owned: [])
        #expect(store.secrets(of: try #require(references[0])) == nil)
    }

    @Test func `beside a home that was moved away nothing is kept and nothing swept`() async throws {
        let store = try store()
        store.release(try store.keep([secrets("one")]))
        let ledger = try await fixture.open()
        let before = try fixture.disk.contents(of: fixture.home.secrets)
        try fixture.disk.unlink(fixture.home.path.appending("ledger.lock"))
        await #expect(throws: LedgerError.self) { try await ledger.sweep(store) }
        await #expect(throws: LedgerError.self) { _ = try await ledger.keep([secrets("two")], in: store) }
        #expect(store.beginSweep(), "the sweep before has ended")
        #expect(try fixture.disk.contents(of: fixture.home.secrets) == before)
        await ledger.close()
    }

    @Test func `a sweep that can not learn who owns what removes nothing`() throws {
        let store = try store()
        let references = try store.keep([secrets("one")])
        store.release(references)
        #expect(store.beginSweep())
        try store.endSweep(owned: nil)
        #expect(store.secrets(of: try #require(references[0])) != nil)
    }
}
