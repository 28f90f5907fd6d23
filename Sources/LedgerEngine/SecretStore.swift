import Crypto
import FoundationEssentials
package import LedgerAPI
package import LedgerModel
package import LedgerSystem
import Synchronization
package import SystemPackage

/// Keeps what orders hold that must not stand in the log: whole URLs with their tokens, headers, passwords.
///
/// A file of its own, mode 0600, that only grows until a sweep: a line with the key, then a line for each entry,
/// `REFERENCE JSON`. An entry is durable before the order that names it is recorded. A reference is a keyed hash
/// (HMAC-SHA-256, RFC 2104) of the entry, so equal secrets have equal references, which tell nothing without this file;
/// and an entry that was changed is none: its order fails for want of its secrets.
package final class SecretStore: Sendable {
    /// The longest secrets file that is read, in bytes; a longer one is refused, and nothing is written that would make
    /// it so.
    static let fileBytesMax = 256 << 20
    /// What it has to have grown by, at least, before a sweep is worth it, in bytes.
    static let sweepBytesMin: UInt64 = 1 << 20
    /// The length of the key.
    static let keyBytes = 32

    struct State {
        var key: SymmetricKey? { keys.last }
        /// The keys that entries go by, the one of what is written next last: of files that took each other's place.
        var keys: [SymmetricKey] = []
        var entries: [SecretReference: OrderSecrets] = [:]
        var length: UInt64 = 0
        /// Its length behind the last sweep of this process; 0 before the first.
        var sweptLength: UInt64 = 0
        /// The file as it stood when it was read or written last; nil for none.
        var standing: FileStatus?
        /// The file as it stood when it was last looked into for what it did not hold.
        var searched: FileStatus?
        /// Whether something may stand in it that could not be synced: the next process would take it for durable.
        var isDoubtful = false
        /// Whether the last line lacks its end: someone took it away.
        var isOpenEnded = false
        /// Whether this process knows the file to be durable: who wrote it may have been killed before it synced.
        var isDurable = false
        /// How many orders that are not recorded yet name an entry.
        var promised: [SecretReference: Int] = [:]
        /// The entries that the sweep on its way may remove; nil while there is none.
        var sweepable: Set<SecretReference>?
    }

    let path: FilePath
    let fileSystem: any FileSystem
    private let random: @Sendable () -> UInt64
    let state = Mutex(State())

    /// The secrets of a home; reads the file when it is there. A last line that was cut short is left out.
    package init(
        _ path: FilePath, fileSystem: any FileSystem, random: @escaping @Sendable () -> UInt64
    ) throws(FileError) {
        self.path = path
        self.fileSystem = fileSystem
        self.random = random
        let read = try read()
        state.withLock { $0 = read.state }
    }

    /// The file as it stands, and what it holds.
    func read() throws(FileError) -> (bytes: [UInt8], state: State) {
        var state = State()
        // Before it is read: what takes its place meanwhile is seen the next time.
        state.standing = try fileSystem.status(of: path)
        guard let file = try fileSystem.regularFile(at: path, bytesMax: Self.fileBytesMax) else { return ([], state) }
        let end = file.bytes.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
        state.length = UInt64(end)
        for line in file.bytes[..<end].split(separator: UInt8(ascii: "\n")) { state.take(line) }
        let known = state.entries.count
        state.take(file.bytes[end...])
        if state.entries.count > known { (state.length, state.isOpenEnded) = (UInt64(file.bytes.count), true) }
        return (file.bytes, state)
    }

    /// The secrets of an order; nil when the file does not hold them, also after a look whether it was put back.
    package func secrets(of reference: SecretReference) -> OrderSecrets? {
        state.withLock { state in
            if let known = state.entries[reference] { return known }
            do throws(FileError) {
                let standing = try fileSystem.status(of: path)
                guard standing != state.standing, standing != state.searched else { return nil }
                let found = try read().state.entries[reference]
                if found == nil { state.searched = standing }
                return found
            } catch {
                // Whoever needs it says that it is missing, and the next that is kept why it can not be read.
                return nil
            }
        }
    }

    /// Keeps secrets, durably, and names them; nil names that there was nothing to keep. Blocks for one sync. They stay
    /// until ``release(_:)``, whoever owns them, and after it as long as a sweep is told that someone does.
    package func keep(_ all: [OrderSecrets]) throws(FileError) -> [SecretReference?] {
        if all.allSatisfy(\.isEmpty) { return all.map { _ in nil } }
        let result: Result<[SecretReference?], FileError> = state.withLock { state in
            do throws(FileError) { return .success(try write(all, &state)) } catch { return .failure(error) }
        }
        return try result.get()
    }

    private func write(_ all: [OrderSecrets], _ state: inout State) throws(FileError) -> [SecretReference?] {
        try takeUp(&state)
        var lines: [UInt8] = []
        let key = state.key ?? makeKey()
        if state.key == nil { lines += Self.line(key) }
        var references: [SecretReference?] = []
        var fresh: [SecretReference: OrderSecrets] = [:]
        for secrets in all {
            guard !secrets.isEmpty else {
                references.append(nil)
                continue
            }
            let json = encode(secrets)
            let reference = Self.reference(of: json, key)
            references.append(reference)
            guard state.entries[reference] == nil, fresh.updateValue(secrets, forKey: reference) == nil else {
                continue
            }
            lines += Self.line(reference, json)
        }
        if !lines.isEmpty {
            guard state.length + UInt64(lines.count) < UInt64(Self.fileBytesMax) else {
                throw FileError("write", path, .fileTooLarge)
            }
            if state.isOpenEnded { lines.insert(UInt8(ascii: "\n"), at: 0) }
            do throws(FileError) { try append(lines, at: state.length) } catch {
                state.isDoubtful = true
                throw error
            }
            state.standing = try fileSystem.status(of: path)
            state.length += UInt64(lines.count)
            state.isOpenEnded = false
        } else if !state.isDurable {
            try fileSystem.synchronizeFile(path)
        }
        if !state.isDurable { try fileSystem.synchronizeDirectory(path.removingLastComponent()) }
        state.isDurable = true
        state.use(key)
        state.entries.merge(fresh) { _, new in new }
        for case .some(let reference) in references {
            state.promised[reference, default: 0] += 1
            state.sweepable?.remove(reference)
        }
        return references
    }

    private func append(_ lines: [UInt8], at offset: UInt64) throws(FileError) {
        let file = try fileSystem.open(path, .createOrUpdate(permissions: 0o600))
        defer { file.close() }
        try file.truncate(to: offset)
        try file.write(lines, at: offset)
        do throws(FileError) { try file.synchronize() } catch let failure {
            // The next process would read it from memory and take it for durable.
            do throws(FileError) { try file.truncate(to: offset) } catch {
                // The disk that failed before fails on. What is told is why it did at first.
            }
            throw failure
        }
    }

    static func line(_ key: SymmetricKey) -> [UInt8] {
        Array("key \(key.withUnsafeBytes { unsafe [UInt8]($0) }.hex)\n".utf8)
    }

    static func line(_ reference: SecretReference, _ json: [UInt8]) -> [UInt8] {
        Array(reference.description.utf8) + [UInt8(ascii: " ")] + json + [UInt8(ascii: "\n")]
    }

    /// What names an entry.
    static func reference(of json: some DataProtocol, _ key: SymmetricKey) -> SecretReference {
        SecretReference(Array(HMAC<SHA256>.authenticationCode(for: json, using: key).prefix(16)))
    }

    private func makeKey() -> SymmetricKey {
        SymmetricKey(
            data: (0..<Self.keyBytes / 8).flatMap { _ in
                (0..<8).map { [word = random()] in UInt8(truncatingIfNeeded: word >> (8 * $0)) }
            })
    }

    func encode(_ secrets: OrderSecrets) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        do { return [UInt8](try encoder.encode(secrets)) } catch {
            preconditionFailure("strings always encode as JSON: \(error)")
        }
    }
}

extension SecretStore.State {
    /// Has what is written next go by this key.
    mutating func use(_ key: SymmetricKey) {
        keys.removeAll { $0 == key }
        keys.append(key)
    }

    fileprivate mutating func take(_ line: ArraySlice<UInt8>) {
        guard let space = line.firstIndex(of: UInt8(ascii: " ")) else { return }
        let name = String(decoding: line[..<space], as: UTF8.self)
        let value = line[(space + 1)...]
        if name == "key" {
            // One that was cut short is none.
            let bytes = [UInt8](hex: String(decoding: value, as: UTF8.self)) ?? []
            if bytes.count == SecretStore.keyBytes { use(SymmetricKey(data: bytes)) }
        } else if let reference = [UInt8](hex: name).map(SecretReference.init), let key,
            reference == SecretStore.reference(of: value, key)
        {
            // A line this version can not read leaves its order without secrets, and that is said when it runs.
            do {
                entries[reference] = try JSONDecoder().decode(OrderSecrets.self, from: Data(value))
            } catch {
                return
            }
        }
    }
}
