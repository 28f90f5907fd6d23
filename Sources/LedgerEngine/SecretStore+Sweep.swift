package import LedgerModel
package import LedgerSystem
import Synchronization

extension SecretStore {
    /// Says that the orders which name these secrets were recorded, or never will be: once for each ``keep(_:)``.
    package func release(_ references: [SecretReference?]) {
        state.withLock { state in
            for case .some(let reference) in references {
                let left = state.promised[reference, default: 1] - 1
                state.promised[reference] = left > 0 ? left : nil
            }
        }
    }

    /// Whether it has doubled since the last sweep: what it grew by may be what no order names any more.
    package var isWorthSweeping: Bool {
        state.withLock { $0.length >= max(Self.sweepBytesMin, $0.sweptLength * 2) }
    }

    /// Begins to sweep: notes what is here and promised to nobody. What is kept from now on stays.
    /// - Returns: false when another sweep is on its way.
    package func beginSweep() -> Bool {
        state.withLock { state in
            guard state.sweepable == nil else { return false }
            state.sweepable = Set(state.entries.keys).subtracting(state.promised.keys)
            return true
        }
    }

    /// Removes, durably, what was noted and is not owned; nil ends the sweep and removes nothing. A file without it
    /// takes the place of the old one. Blocks for two syncs when there is something to remove.
    /// - Parameter owned: what the ledger's state needs, as read after ``beginSweep()``.
    package func endSweep(owned: Set<SecretReference>?) throws(FileError) {
        try state.withLock { state throws(FileError) in
            let gone = owned.map { (state.sweepable ?? []).subtracting($0) } ?? []
            state.sweepable = nil
            if !gone.isEmpty { try remove(gone, &state) }
            if owned != nil { state.sweptLength = state.length }
        }
    }

    private func remove(_ gone: Set<SecretReference>, _ state: inout State) throws(FileError) {
        try takeUp(&state)
        let bytes = try fileSystem.contents(of: path, bytesMax: Self.fileBytesMax) ?? []
        let names = Set(gone.map(\.description))
        var kept: [UInt8] = []
        // Lines this version can not read stay.
        for line in bytes.prefix(Int(state.length)).split(separator: UInt8(ascii: "\n")) {
            let name = String(decoding: line.prefix { $0 != UInt8(ascii: " ") }, as: UTF8.self)
            if !names.contains(name) { kept += line + [UInt8(ascii: "\n")] }
        }
        try replace(with: kept, &state)
        for reference in gone { state.entries[reference] = nil }
    }
}
