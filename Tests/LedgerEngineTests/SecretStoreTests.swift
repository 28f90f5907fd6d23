import LedgerAPI
import LedgerModel
import LedgerSystem
import LedgerTestSupport
import SystemPackage
import Testing

@testable import LedgerEngine

/// What becomes of secrets when a process is killed, a disk fails, or someone changes their file.
struct SecretStoreTests {
    private static let path: FilePath = "/home/secrets"

    private static func secrets(_ password: String) -> OrderSecrets {
        var secrets = OrderSecrets()
        secrets.credentials = "ada:" + password
        return secrets
    }

    private static func store(_ disk: SimulatedDisk) throws -> SecretStore {
        try SecretStore(path, fileSystem: disk, random: SharedChance(seed: 1).source)
    }

    private static func disk() throws -> SimulatedDisk {
        let disk = SimulatedDisk()
        try disk.createDirectory("/home", permissions: 0o700)
        try disk.synchronizeDirectory("/")
        return disk
    }

    @Test(arguments: [0, 1, 2, 3, 4, 5])
    func `what a killed process did not sync is durable once it is kept again`(_ operations: Int) throws {
        let disk = try Self.disk()
        disk.crash(after: disk.operations + operations)
        do { _ = try Self.store(disk).keep([Self.secrets("one")]) } catch { #expect(disk.isDead) }
        try expectKept(disk.copy())
    }

    @Test func `what could not be synced is written anew, and not taken from memory for durable`() throws {
        let disk = try Self.disk()
        disk.inject(SimulatedFault(.fdatasync, .ioError))
        #expect(throws: FileError.self) { try Self.store(disk).keep([Self.secrets("one")]) }
        try expectKept(disk.copy())
    }

    @Test func `what could neither be synced nor cut off is written anew by the same process`() throws {
        let disk = try Self.disk()
        let store = try Self.store(disk)
        _ = try store.keep([Self.secrets("one")])
        disk.inject(SimulatedFault(.fdatasync, .ioError))
        disk.inject(SimulatedFault(.ftruncate, nth: 2, .ioError))
        #expect(throws: FileError.self) { try store.keep([Self.secrets("two")]) }
        disk.clearFaults()
        let reference = try #require(try store.keep([Self.secrets("two")])[0])
        #expect(try Self.store(disk.survivorOfTheWorst()).secrets(of: reference) == Self.secrets("two"))
    }

    @Test func `a file that was taken away when nothing was in it gets its key again`() throws {
        let disk = try Self.disk()
        let store = try Self.store(disk)
        let one = try #require(try store.keep([Self.secrets("one")])[0])
        store.release([one])
        #expect(store.beginSweep())
        try store.endSweep(owned: [])
        try disk.unlink(Self.path)
        let two = try #require(try store.keep([Self.secrets("two")])[0])
        try expect(disk, [two: "two"])
    }

    /// Keeps them once more, and loses the power.
    private func expectKept(_ disk: SimulatedDisk) throws {
        let reference = try #require(try Self.store(disk).keep([Self.secrets("one")])[0])
        #expect(try Self.store(disk.survivorOfTheWorst()).secrets(of: reference) == Self.secrets("one"))
    }

    @Test func `an entry that was changed is none`() throws {
        let disk = try Self.disk()
        let reference = try #require(try Self.store(disk).keep([Self.secrets("one")])[0])
        try disk.damage(Self.path) { bytes in
            let place = bytes.lastIndex(of: UInt8(ascii: "o")) ?? 0
            bytes[place] = UInt8(ascii: "a")
        }
        #expect(try Self.store(disk).secrets(of: reference) == nil)
    }

    @Test func `a last line without its end is whole, and the next does not take its place`() throws {
        let disk = try Self.disk()
        let one = try #require(try Self.store(disk).keep([Self.secrets("one")])[0])
        try disk.damage(Self.path) { $0.removeLast() }
        let two = try #require(try Self.store(disk).keep([Self.secrets("two")])[0])
        let store = try Self.store(disk)
        #expect(store.secrets(of: one) == Self.secrets("one"))
        #expect(store.secrets(of: two) == Self.secrets("two"))
    }

    @Test func `a file that was put back beside the process, or taken away, is not written over`() throws {
        let disk = try Self.disk()
        let before = try Self.store(disk)
        let one = try #require(try before.keep([Self.secrets("one")])[0])
        let good = try disk.contents(of: Self.path) ?? []
        // Damaged, it is read by whoever holds the ledger next; then the good one takes its place.
        try disk.replaceContents(of: Self.path, with: Array(good.prefix(30)), permissions: 0o600)
        let store = try Self.store(disk)
        #expect(store.secrets(of: one) == nil)
        try disk.replaceContents(of: Self.path, with: good, permissions: 0o600)
        #expect(store.secrets(of: one) == Self.secrets("one"))
        let two = try #require(try store.keep([Self.secrets("two")])[0])
        try expect(disk, [one: "one", two: "two"])
        // Taken away, it comes back with all that is known.
        try disk.unlink(Self.path)
        let three = try #require(try store.keep([Self.secrets("three")])[0])
        try expect(disk, [one: "one", two: "two", three: "three"])
        // Another ledger's, of another key: both stay.
        let other = Self.path.removingLastComponent().appending("other")
        let foreign = try SecretStore(other, fileSystem: disk, random: SharedChance(seed: 2).source)
        let four = try #require(try foreign.keep([Self.secrets("four")])[0])
        try disk.rename(other, to: Self.path, replacing: true)
        let five = try #require(try store.keep([Self.secrets("five")])[0])
        try expect(disk, [one: "one", two: "two", three: "three", four: "four", five: "five"])
        // Taken away once more, what went by the other key comes back, too.
        try disk.unlink(Self.path)
        let six = try #require(try store.keep([Self.secrets("six")])[0])
        try expect(disk, [one: "one", two: "two", three: "three", four: "four", five: "five", six: "six"])
        store.release([six])
        // A sweep finds it as it is, too.
        try disk.replaceContents(of: Self.path, with: good, permissions: 0o600)
        store.release([one, two, three, five])
        #expect(store.beginSweep())
        try store.endSweep(owned: [one, three, five])
        try expect(disk, [one: "one", three: "three", five: "five"])
        #expect(try Self.store(disk).secrets(of: two) == nil)
    }

    private func expect(_ disk: SimulatedDisk, _ all: [SecretReference: String]) throws {
        let store = try Self.store(disk.survivorOfTheWorst())
        for (reference, word) in all { #expect(store.secrets(of: reference) == Self.secrets(word), "\(word)") }
    }
}
