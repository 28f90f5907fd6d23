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
        if lost.isEmpty {
            state.keys = file.keys
        } else {
            // Its own key stays the last: what is written next goes by that.
            state.keys = file.keys.filter { !state.keys.contains($0) } + state.keys
            lines += written(lost, state.keys, behind: file.key)
        }
        state.entries.merge(file.entries) { own, _ in own }
        guard lost.isEmpty, !state.isDoubtful else { return try replace(with: lines, &state) }
        state.standing = file.standing
        (state.length, state.isOpenEnded, state.isDurable) = (file.length, file.isOpenEnded, false)
    }

    /// The lines of entries, each behind the key that it goes by; the last key's line stands last in any case.
    private func written(
        _ entries: [SecretReference: OrderSecrets], _ keys: [SymmetricKey], behind key: SymmetricKey?
    ) -> [UInt8] {
        var (lines, current) = ([UInt8](), key)
        let encoded = entries.map { (reference: $0.key, json: encode($0.value)) }
        for key in keys {
            // One that another version wrote otherwise is known to this process only: its name would fit no key.
            let own = encoded.filter { Self.reference(of: $0.json, key) == $0.reference }
            guard !own.isEmpty || key == keys.last else { continue }
            if current != key { lines += Self.line(key) }
            current = key
            for entry in own { lines += Self.line(entry.reference, entry.json) }
        }
        return lines
    }

    /// Has a file with these lines take the place of the old one, durably.
    func replace(with lines: [UInt8], _ state: inout State) throws(FileError) {
        try fileSystem.replaceContents(of: path, with: lines, permissions: 0o600)
        (state.length, state.isOpenEnded) = (UInt64(lines.count), false)
        (state.isDurable, state.isDoubtful) = (true, false)
        state.standing = try fileSystem.status(of: path)
    }
}
