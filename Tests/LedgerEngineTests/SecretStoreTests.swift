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
}
