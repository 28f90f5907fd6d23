import Crypto
import LedgerCoding
import LedgerLog
package import LedgerModel
import LedgerSystem

/// The state as a snapshot holds it, and the digest that tells two states apart.
package enum StateSnapshot {
    /// Marks the content as the ledger's whole state.
    static let kind: UInt8 = 1

    /// The snapshot of a state; `root` is the tree's at its sequence.
    static func snapshot(of state: LedgerState, root: TreeHash) -> Snapshot {
        Snapshot(
            sequence: state.sequence, kind: kind, version: LedgerState.version, root: root,
            content: StateCoding.encode(state))
    }

    /// The state of a snapshot; nil when it is not one this version can take as it is.
    static func state(of snapshot: Snapshot) -> LedgerState? {
        guard snapshot.kind == kind, snapshot.version == LedgerState.version else { return nil }
        do throws(CodingError) {
            let state = try StateCoding.decode(snapshot.content[...], by: ThreadedMap())
            return state.sequence == snapshot.sequence ? state : nil
        } catch {
            return nil
        }
    }

    /// The SHA-256 of the state's canonical encoding: equal for equal states, whoever folded them, and the same after
    /// maintenance.
    package static func digest(of state: LedgerState) -> LedgerModel.Digest {
        guard let digest = LedgerModel.Digest(.sha256, Array(SHA256.hash(data: StateCoding.canonical(state)))) else {
            preconditionFailure("SHA-256 has 32 bytes")
        }
        return digest
    }
}
