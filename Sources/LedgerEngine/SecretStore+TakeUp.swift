import Crypto
import LedgerAPI
import LedgerModel
import LedgerSystem

extension SecretStore {
    /// Takes up what stands in the file where somebody put another in its place, or took it away, since it was read or
    /// written: it is not written over. What is known and is not in it is written again behind what is, with the key
    /// that it goes by: a line holds by the key line before it.
    func takeUp(_ state: inout State) throws(FileError) {
        let isAsKnown = try fileSystem.status(of: path) == state.standing
        guard state.isDoubtful || !isAsKnown else { return }
        let (bytes, file) = try read()
        let lost = state.entries.filter { file.entries[$0.key] == nil }
        var lines = Array(bytes.prefix(Int(file.length)))
        if file.isOpenEnded { lines.append(UInt8(ascii: "\n")) }
        if !lost.isEmpty, let key = state.key {
            if file.key != key { lines += Self.line(key) }
            for (reference, secrets) in lost {
                let json = encode(secrets)
                // One that another version wrote otherwise is known to this process only: its name would not fit.
                if Self.reference(of: json, key) == reference { lines += Self.line(reference, json) }
            }
        } else {
            state.key = file.key
        }
        state.entries.merge(file.entries) { own, _ in own }
        guard lost.isEmpty, !state.isDoubtful else { return try replace(with: lines, &state) }
        state.standing = file.standing
        (state.length, state.isOpenEnded, state.isDurable) = (file.length, file.isOpenEnded, false)
    }

    /// Has a file with these lines take the place of the old one, durably.
    func replace(with lines: [UInt8], _ state: inout State) throws(FileError) {
        try fileSystem.replaceContents(of: path, with: lines, permissions: 0o600)
        (state.length, state.isOpenEnded) = (UInt64(lines.count), false)
        (state.isDurable, state.isDoubtful) = (true, false)
        state.standing = try fileSystem.status(of: path)
    }
}
