import Crypto
import LedgerAPI
import LedgerModel
import LedgerSystem

extension SecretStore {
    /// Takes up what stands in the file where somebody put another in its place, or took it away, since it was read or
    /// written: it is not written over. What is known and is not in it is written again behind what is, with the key
    /// that it goes by: a line holds by the key line before it.
    func takeUp(_ state: inout State) throws(FileError) {
        guard try fileSystem.status(of: path) != state.standing else { return }
        let (bytes, file) = try read()
        let lost = state.entries.filter { file.entries[$0.key] == nil }
        state.entries.merge(file.entries) { own, _ in own }
        guard let key = state.key, !lost.isEmpty else {
            (state.key, state.standing) = (file.key ?? state.key, file.standing)
            (state.length, state.isOpenEnded, state.isDurable) = (file.length, file.isOpenEnded, false)
            return
        }
        var lines = Array(bytes.prefix(Int(file.length)))
        if file.isOpenEnded { lines.append(UInt8(ascii: "\n")) }
        if file.key != key { lines += Self.line(key) }
        for (reference, secrets) in lost {
            let json = encode(secrets)
            // One that another version wrote otherwise is known to this process only: its name would not fit.
            if Self.reference(of: json, key) == reference { lines += Self.line(reference, json) }
        }
        try replace(with: lines, &state)
    }

    /// Has a file with these lines take the place of the old one, durably.
    func replace(with lines: [UInt8], _ state: inout State) throws(FileError) {
        try fileSystem.replaceContents(of: path, with: lines, permissions: 0o600)
        (state.length, state.isOpenEnded, state.isDurable) = (UInt64(lines.count), false, true)
        state.standing = try fileSystem.status(of: path)
    }
}
