import LedgerCoding
import LedgerHolder
import LedgerLog
import LedgerModel
import LedgerViews

extension Checkpoint {
    /// The checkpoint as `--json` prints it: the root in hexadecimal, and the three lines.
    var json: JSONValue {
        [
            "origin": .string(origin), "size": JSONValue(head.size), "root": .string(head.root.description),
            "text": .string(text),
        ]
    }
}

extension InclusionProof {
    /// The proof with all that a verifier needs to hash the leaf by itself: SHA-256 of a zero byte, the ledger's id,
    /// sequence (64 bits), time (64 bits), type, version and payload, numbers as little-endian. Null stands for the
    /// leaf of an event whose content was taken out: its hash is all that is left.
    var json: JSONValue {
        let input: JSONValue =
            isHidden
            ? .null
            : [
                "ledger": .string(identity.description), "sequence": JSONValue(record.sequence.rawValue),
                "time": JSONValue(record.time.milliseconds), "type": JSONValue(record.type),
                "version": JSONValue(record.version), "payload": .string(Array(record.payload).hex),
            ]
        let origin = Checkpoint(identity: identity, head: head).origin
        return [
            "kind": "inclusion", "origin": .string(origin), "index": JSONValue(index), "size": JSONValue(head.size),
            "root": .string(head.root.description), "leaf": input, "leafHash": .string(leaf.description),
            "path": .array(path.map { .string($0.description) }),
        ]
    }
}

extension ConsistencyProof {
    /// The proof, with both roots.
    var json: JSONValue {
        [
            "kind": "consistency", "origin": .string(Checkpoint(identity: identity, head: new).origin),
            "from": Self.json(old), "to": Self.json(new), "path": .array(path.map { .string($0.description) }),
        ]
    }

    private static func json(_ head: TreeHead) -> JSONValue {
        ["size": JSONValue(head.size), "root": .string(head.root.description)]
    }
}
